"""What a verdict record may be, in JSON and in CSV; scores are refused, never bent."""

from __future__ import annotations

import json

import pytest

from grade.ingest.csv import cut_rows
from grade.ingest.limits import Limits
from grade.ingest.verdicts import decode_verdicts
from pipelines.files import Found
from pipelines.reading import Chunks, _verdict_frames

NUMBERS = frozenset({"run_index", "int_score", "numeric_score", "confidence", "findings"})


def test_a_verdict_becomes_a_row(verdict, read_verdicts):
    finding = {"severity": "high", "title": "No source"}
    [row], refused = read_verdicts(
        [verdict(int_score=5, numeric_score=1, confidence=0.5, reasoning="Because.", findings=[finding])]
    )
    assert refused == []
    assert (row["score"], row["int_score"], row["numeric_score"]) == ("pass", 5, 1.0)
    assert row["findings"] == [finding | {"description": None, "code": None}]
    assert row["claim_id"] is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"int_score": 4.5}, "wrong_type"),
        ({"int_score": 4.0}, "wrong_type"),
        ({"int_score": True}, "wrong_type"),
        ({"int_score": "4 - good"}, "wrong_type"),
        ({"int_score": "4"}, "wrong_type"),
        ({"int_score": 87}, "out_of_range"),
        ({"int_score": 0}, "out_of_range"),
        ({"int_score": 6}, "out_of_range"),
        ({"numeric_score": "4.2/10"}, "wrong_type"),
        ({"numeric_score": "nan"}, "wrong_type"),
        ({"numeric_score": 4.2}, "out_of_range"),
        ({"numeric_score": -0.1}, "out_of_range"),
        ({"confidence": 1.5}, "out_of_range"),
        ({"confidence": 90}, "out_of_range"),
        ({"score": "PASS"}, "out_of_range"),
        ({"score": "good"}, "out_of_range"),
        ({"score": 1}, "wrong_type"),
        ({"judge_id": ...}, "missing_field"),
        ({"judge_id": " "}, "empty_id"),
        ({"model_id": ""}, "empty_id"),
        ({"run_index": "0"}, "wrong_type"),
        ({"findings": [{"severity": "awful", "title": "x"}]}, "out_of_range"),
        ({"findings": [{"severity": "low"}]}, "missing_field"),
        ({"findings": {"severity": "low", "title": "x"}}, "wrong_type"),
        ({"reasoning": ["a"]}, "wrong_type"),
    ],
)
def test_a_score_that_is_none_is_refused(changes, reason, verdict, read_verdicts):
    rows, [refusal] = read_verdicts([verdict(**changes)])
    assert (rows, refusal.reason) == ([], reason)


def test_a_bare_nan_is_refused(verdict, read_verdicts):
    record = json.dumps(verdict(numeric_score=float("nan"))).encode()
    rows, [refusal] = read_verdicts([record])
    assert (rows, refusal.reason) == ([], "nonfinite_number")


HEADER = (
    "model_id,task_id,run_index,dimension,claim_id,judge_id,"
    "score,int_score,numeric_score,confidence,reasoning\n"
)


def read_csv(text, *, header=HEADER):
    data = text if isinstance(text, bytes) else (header + text).encode()
    frames, refused = [], []
    for batch in cut_rows([data], file="v.csv", json_columns=NUMBERS):
        frame, others = decode_verdicts(batch)
        frames += frame.to_dicts()
        refused += others
    return frames, refused


def test_csv_and_json_say_the_same(verdict, read_verdicts):
    [row], refused = read_csv('acme/a,T-1,0,evidence_linkage,,j1,,4,,0.5,"Well, ""so"" it is\nand more"\n')
    assert refused == []
    reasoning = 'Well, "so" it is\nand more'
    [other], _ = read_verdicts([verdict(score=..., int_score=4, confidence=0.5, reasoning=reasoning)])
    assert row["content_hash"] == other["content_hash"]
    assert (row["line"], row["byte_offset"]) == (2, len(HEADER))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,T-1,0,evidence_linkage,,j1,,4.5,,,\n", "wrong_type"),
        ("a,T-1,0,evidence_linkage,,j1,,4 - good,,,\n", "wrong_type"),
        ("a,T-1,0,evidence_linkage,,j1,,true,,,\n", "wrong_type"),
        ("a,T-1,0,evidence_linkage,,j1,,87,,,\n", "out_of_range"),
        ("a,T-1,0,evidence_linkage,,j1,,,nan,,\n", "wrong_type"),
        ("a,T-1,0,evidence_linkage,,j1,,,inf,,\n", "wrong_type"),
        ("a,T-1,0,evidence_linkage,,j1,,,1e999,,\n", "wrong_type"),
        ("a,T-1,zero,evidence_linkage,,j1,pass,,,,\n", "wrong_type"),
        ("a,T-1,,evidence_linkage,,j1,pass,,,,\n", "missing_field"),
        ("a,T-1,0,evidence_linkage,,,pass,,,,\n", "missing_field"),
        ("a,T-1,0,evidence_linkage,,j1,pass\n", "bad_csv"),
        ('a,T-1,0,evidence_linkage,,j1,pass,,,,"a"b\n', "bad_csv"),
        ('a,T-1,0,evidence_linkage,,j1,pass,,,,"never closed', "truncated"),
    ],
)
def test_a_bad_row_is_refused_and_its_neighbours_are_not(row, reason):
    good = "a,T-1,{},evidence_linkage,,j1,pass,,,,\n"
    rows, [refusal] = read_csv(good.format(1) + row + (good.format(2) if row.endswith("\n") else ""))
    assert [one["run_index"] for one in rows] == [1, 2][: 1 + row.endswith("\n")]
    assert (refusal.reason, refusal.line) == (reason, 3)


def test_blank_lines_of_a_csv_are_no_rows():
    rows, refused = read_csv("\n  \na,T-1,0,evidence_linkage,,j1,pass,,,,\n\r\n")
    assert (len(rows), refused) == (1, [])


def test_a_row_that_is_not_utf8_is_refused():
    good = b"a,T-1,0,evidence_linkage,,j1,pass,,,,\n"
    rows, [refusal] = read_csv(HEADER.encode() + good + b"\xff" + good)
    assert (len(rows), refusal.reason, refusal.line) == (1, "not_utf8", 3)


def test_a_csv_may_begin_with_a_byte_order_mark_and_end_lines_as_windows_does():
    row = "a,T-1,0,evidence_linkage,,j1,pass,,,,\n"
    rows, refused = read_csv(("\ufeff" + HEADER + row).replace("\n", "\r\n").encode())
    assert (len(rows), refused) == (1, [])
    assert rows[0]["reasoning"] is None


def test_a_header_that_names_a_column_twice_is_refused_as_a_whole():
    rows, [refusal] = read_csv("1,2\n", header="a,a\n")
    assert (rows, refusal.reason) == ([], "bad_header")


def test_columns_that_the_header_lacks_are_missing_fields():
    rows, refused = read_csv("a,T-1\nb,T-1\n", header="model_id,task_id\n")
    assert rows == []
    assert [refusal.reason for refusal in refused] == ["missing_field"] * 2


def test_a_csv_of_nothing_holds_nothing():
    assert read_csv(b"") == ([], [])
    assert read_csv("") == ([], [])


@pytest.mark.parametrize(("limit", "reasons"), [(400_000, []), (150_000, ["too_long"])])
def test_a_long_cell_is_taken_up_to_the_limit_of_a_record(limit, reasons, tmp_path):
    """The CSV reader has a limit of its own, 131,072, which is not ours."""
    path = tmp_path / "v.csv"
    head = "model_id,task_id,run_index,judge_id,dimension,score,reasoning\n"
    rows = [
        f'm,T,{index},j,evidence_linkage,pass,"{text}"\n'
        for index, text in enumerate(("x", "y" * 200_000, "z"))
    ]
    path.write_text(head + "".join(rows))
    chunks = Chunks([Found("v.csv", path, ".csv")], _verdict_frames, Limits(max_record_bytes=limit))
    frames = list(chunks)
    assert [refusal.reason for refusal in chunks.refused] == reasons
    assert sum(frame.height for frame in frames) == 3 - len(reasons)
