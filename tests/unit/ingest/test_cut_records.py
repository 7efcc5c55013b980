"""Where records begin and end, whatever the blocks that they come in."""

from __future__ import annotations

import pytest

import grade.ingest.feed
from grade.ingest.limits import Limits
from grade.ingest.records import cut_records
from grade.ingest.refusals import ReadFault


def cut(data, *, is_document=False, limit=1000, step=None, fault=None):
    def blocks():
        size = step or max(len(data), 1)
        for start in range(0, len(data), size):
            yield data[start : start + size]
        if fault is not None:
            raise fault

    limits = Limits(max_record_bytes=limit)
    batches = list(cut_records(blocks(), file="f", is_document=is_document, limits=limits))
    kept = [place for batch in batches for place in zip(batch.lines, batch.offsets, batch.items, strict=True)]
    refused = [refusal[1:4] for batch in batches for refusal in batch.refused]
    return kept, sorted(refused)


LONG = b'{"a":"' + b"x" * 2000 + b'"}'
CASES = {
    "lines": (b'{"a":1}\n{"a":2}\n', False, [(1, 0, b'{"a":1}'), (2, 8, b'{"a":2}')], []),
    "no line end at the end": (b'{"a":1}\n{"a":2}', False, [(1, 0, b'{"a":1}'), (2, 8, b'{"a":2}')], []),
    "windows line ends": (b'{"a":1}\r\n{"a":2}\r\n', False, [(1, 0, b'{"a":1}\r'), (2, 9, b'{"a":2}\r')], []),
    "blank lines": (b'\n  \n{"a":1}\n\r\n', False, [(3, 4, b'{"a":1}')], []),
    "byte order mark": (b'\xef\xbb\xbf{"a":1}\n', False, [(1, 3, b'{"a":1}')], []),
    "empty": (b"", False, [], []),
    "empty document": (b" \n", True, [], [(1, 0, "truncated")]),
    "document": (b'\n{"a":\n1}\n', True, [(2, 1, b'{"a":\n1}')], []),
    "document of lines": (b'{"a":1}\n{"a":2}\n', True, [(1, 0, b'{"a":1}'), (2, 8, b'{"a":2}')], []),
    "array": (b'[{"a":1}, {"b":2}]', True, [(1, 1, b'{"a":1}'), (1, 10, b'{"b":2}')], []),
    "array called lines": (b'[{"a":1},\n {"b":2}\n]\n', False, [(1, 1, b'{"a":1}'), (2, 11, b'{"b":2}')], []),
    "brackets in strings": (b'[{"a":"]}\\"[{,"}, 1]', True, [(1, 1, b'{"a":"]}\\"[{,"}'), (1, 18, b"1")], []),
    "nested": (b'[[[1, 2], {}], {"a":[{}]}]', True, [(1, 1, b"[[1, 2], {}]"), (1, 15, b'{"a":[{}]}')], []),
    "empty array": (b"[ ]", True, [], []),
    "a brace too many": (b'[{"a":1}}, {"b":2}]', True, [(1, 1, b'{"a":1}}'), (1, 11, b'{"b":2}')], []),
    "comma at the end": (b"[1,]", True, [(1, 1, b"1")], [(1, 3, "bad_json")]),
    "text behind the array": (b'[{"a":1}]\n x', True, [(1, 1, b'{"a":1}')], [(2, 11, "bad_json")]),
    "array cut off in an item": (b'[{"a":1}, {"b":', True, [(1, 1, b'{"a":1}')], [(1, 10, "truncated")]),
    "array cut off in a string": (b'["a", "b\\', True, [(1, 1, b'"a"')], [(1, 6, "truncated")]),
    "array cut off between items": (b'[{"a":1},', True, [(1, 1, b'{"a":1}')], [(1, 9, "truncated")]),
    "a bad line that is an array": (b'["x"]\n{"a":1}\n', False, [(1, 0, b'["x"]'), (2, 6, b'{"a":1}')], []),
    "a cut line that begins an array": (
        b'[{"a":\n{"a":1}\n',
        False,
        [(1, 0, b'[{"a":'), (2, 7, b'{"a":1}')],
        [],
    ),
    "a long line": (
        b'{"a":1}\n' + LONG + b'\n{"a":2}\n',
        False,
        [(1, 0, b'{"a":1}'), (3, 2017, b'{"a":2}')],
        [(2, 8, "too_long")],
    ),
    "a long last line": (b'{"a":1}\n' + LONG, False, [(1, 0, b'{"a":1}')], [(2, 8, "too_long")]),
    "a long item": (b"[1,\n" + LONG + b",\n2]", True, [(1, 1, b"1"), (3, 2014, b"2")], [(2, 4, "too_long")]),
    "a long document": (b"\n{\n" + LONG[1:], True, [], [(2, 1, "too_long")]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_records_are_cut_where_they_end(case):
    data, is_document, kept, refused = CASES[case]
    assert cut(data, is_document=is_document) == (kept, refused)


@pytest.mark.parametrize("step", [1, 3, 64])
@pytest.mark.parametrize("case", CASES)
def test_the_blocks_make_no_difference(case, step, monkeypatch):
    data, is_document, kept, refused = CASES[case]
    monkeypatch.setattr(grade.ingest.feed, "BLOCK_BYTES", 32)
    assert cut(data, is_document=is_document, step=step) == (kept, refused)


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_another_encoding_is_refused_as_a_whole(name):
    assert cut('{"a": 1}\n{"a": 2}\n'.encode(name)) == ([], [(1, 0, "wrong_encoding")])


def test_a_separator_inside_a_string_ends_no_line():
    record = '{"a":"x\u2028y\u2029\x85"}'.encode()
    assert cut(record + b"\n") == ([(1, 0, record)], [])


@pytest.mark.parametrize(
    ("data", "is_document", "kept", "place"),
    [
        (b'{"a":1}\n{"a"', False, 1, (2, 8)),
        (b'{"a":1}\n', False, 1, (2, 8)),
        (b'[{"a":1}, {"a"', True, 1, (1, 10)),
        (b'{\n"a"', True, 0, (1, 0)),
        (b"", False, 0, (1, 0)),
    ],
)
def test_a_fault_of_the_file_costs_the_record_that_it_cuts_and_is_told_once(data, is_document, kept, place):
    records, refused = cut(data, is_document=is_document, fault=ReadFault("truncated", "cut off"))
    assert len(records) == kept
    assert refused == [(*place, "truncated")]


def test_a_closed_array_before_a_fault_is_whole():
    records, refused = cut(b'[{"a":1}]', is_document=True, fault=ReadFault("bad_compression", "crc"))
    assert len(records) == 1
    assert [reason for *_, reason in refused] == ["bad_compression"]


def test_a_huge_line_is_not_held():
    piece = b"x" * 2**20
    n_held = []

    def blocks():
        yield b'{"a":"'
        for _ in range(40):
            yield piece
        yield b'"}\n{"a":1}\n'

    for batch in cut_records(blocks(), file="f", limits=Limits(max_record_bytes=2**20)):
        n_held.append(sum(map(len, batch.items)))
        assert all(len(refusal.raw) <= 2000 for refusal in batch.refused)
    assert sum(n_held) == len(b'{"a":1}')
