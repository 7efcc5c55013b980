"""What a run record may be, and with which code it is refused."""

from __future__ import annotations

import json

import pytest

from grade.ingest.reasons import REASONS


def test_a_run_becomes_a_row(run, read_runs):
    [row], refused = read_runs([run()])
    assert refused == []
    assert row["key_findings"] == ["135 students.", "An “odd” one: é \u2028 x"]
    assert row["structured_metrics"] == '{"students":135,"by_school":[{"id":"SCH-001","n":60.5}]}'
    assert row["evidence_citations"] == [
        {"citation_text": "rows", "source_file": "students.csv", "source_column": None, "grounded": None}
    ]
    assert (row["latency_ms"], row["prompt_tokens"], row["cost_usd"]) == (3.0, 7, None)
    assert (row["file"], row["line"], row["byte_offset"], row["input_flags"]) == ("f.jsonl", 1, 0, [])


@pytest.mark.parametrize("absent", [..., None])
def test_what_may_be_absent_is_empty_or_null(run, read_runs, absent):
    names = (
        "structured_metrics",
        "key_findings",
        "limitations",
        "evidence_citations",
        "runtime_metadata",
        "raw_response_text",
    )
    [row], _ = read_runs([run(**dict.fromkeys(names, absent))])
    assert row["structured_metrics"] == "{}"
    assert row["key_findings"] == row["limitations"] == row["evidence_citations"] == []
    assert row["latency_ms"] is None
    assert row["raw_response_text"] is None


BROKEN = {
    "not json": (b"{", "truncated"),
    "no object": (b"[1]", "wrong_type"),
    "null": (b"null", "wrong_type"),
    "text after the object": (b"{} x", "bad_json"),
    "two objects": (b"{}{}", "bad_json"),
    "single quotes": (b"{'a': 1}", "bad_json"),
    "byte order mark inside": (b"\xef\xbb\xbf{}", "bad_json"),
    "zero bytes": (b"\x00\x00\x00\x00", "bad_json"),
    "invalid utf-8": (b'{"x": "\xff"}', "not_utf8"),
    "surrogates as utf-8": (b'{"x": "\xed\xa0\x80"}', "not_utf8"),
    "deep nesting": (b'{"x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "too_deep"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_record_is_refused_and_its_neighbours_are_not(case, run, read_runs):
    line, reason = BROKEN[case]
    rows, [refusal] = read_runs([run(run_index=0), line, run(run_index=1)])
    assert [(row["run_index"], row["line"]) for row in rows] == [(0, 1), (1, 3)]
    assert (refusal.reason, refusal.line) == (reason, 2)
    assert refusal.raw == line[:2000]


INVALID = {
    "task_id missing": ({"task_id": ...}, "missing_field"),
    "task_id null": ({"task_id": None}, "wrong_type"),
    "task_id blank": ({"task_id": " \t"}, "empty_id"),
    "model_id empty": ({"model_id": ""}, "empty_id"),
    "run_index missing": ({"run_index": ...}, "missing_field"),
    "run_index text": ({"run_index": "0"}, "wrong_type"),
    "run_index boolean": ({"run_index": True}, "wrong_type"),
    "run_index fraction": ({"run_index": 0.0}, "wrong_type"),
    "run_index negative": ({"run_index": -1}, "out_of_range"),
    "run_index huge": ({"run_index": 10**20}, "out_of_range"),
    "findings as text": ({"key_findings": "one"}, "wrong_type"),
    "a number among findings": ({"key_findings": ["a", 1]}, "wrong_type"),
    "findings as object": ({"limitations": {"a": "b"}}, "wrong_type"),
    "citations as texts": ({"evidence_citations": ["students.csv"]}, "wrong_type"),
    "citation without text": ({"evidence_citations": [{"source_file": "a.csv"}]}, "missing_field"),
    "grounded as text": ({"evidence_citations": [{"citation_text": "a", "grounded": "yes"}]}, "wrong_type"),
    "metrics as list": ({"structured_metrics": [1]}, "wrong_type"),
    "metrics as text": ({"structured_metrics": "{}"}, "wrong_type"),
    "latency as text": ({"runtime_metadata": {"latency_ms": "3"}}, "wrong_type"),
    "latency negative": ({"runtime_metadata": {"latency_ms": -1}}, "out_of_range"),
    "tokens as fraction": ({"runtime_metadata": {"prompt_tokens": 7.5}}, "wrong_type"),
    "timestamp as number": ({"runtime_metadata": {"timestamp_utc": 1}}, "wrong_type"),
    "raw text as list": ({"raw_response_text": ["a"]}, "wrong_type"),
    "an integer beyond floats": ({"structured_metrics": {"a": 10**400}}, "nonfinite_number"),
    "metrics too deep": ({"structured_metrics": json.loads('{"a":' * 70 + "1" + "}" * 70)}, "too_deep"),
    "half a character": ({"raw_response_text": "x\ud800y"}, "lone_surrogate"),
    "half a character at the end of a key": ({"structured_metrics": {"x\udc00": 1}}, "lone_surrogate"),
}


@pytest.mark.parametrize("case", INVALID)
def test_a_wrong_field_is_refused_with_its_code(case, run, read_runs):
    changes, reason = INVALID[case]
    rows, [refusal] = read_runs([json.dumps(run(**changes)).encode()])
    assert rows == []
    assert refusal.reason == reason
    assert refusal.detail


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 5000])
@pytest.mark.parametrize("field", ["structured_metrics", "runtime_metadata"])
def test_a_number_that_is_none_is_refused(number, field, run, read_runs):
    record = json.dumps(run(**{field: {"latency_ms": "NUMBER"}})).replace('"NUMBER"', number).encode()
    rows, [refusal] = read_runs([record])
    assert rows == []
    assert refusal.reason == "nonfinite_number"


def test_nulls_in_lists_are_dropped_and_flagged(run, read_runs):
    [row], _ = read_runs([run(key_findings=[None, "a", None], evidence_citations=[None])])
    assert row["key_findings"] == ["a"]
    assert row["evidence_citations"] == []
    assert row["input_flags"] == ["null_entry_dropped"]


def test_a_list_of_nulls_is_an_empty_list(run, read_runs):
    [row], _ = read_runs([run(limitations=[None])])
    assert row["limitations"] == []


def test_integers_beyond_64_bits_become_floats_and_are_flagged(run, read_runs):
    metrics = {"big": 2**64, "edge": 2**63 - 1, "text": "9" * 30, "in": [{"a": -(10**30)}]}
    [row], _ = read_runs([run(structured_metrics=metrics)])
    kept = json.loads(row["structured_metrics"])
    assert kept == metrics | {"big": float(2**64), "in": [{"a": -1e30}]}
    assert isinstance(kept["big"], float)
    assert isinstance(kept["edge"], int)
    assert row["input_flags"] == ["big_integer_as_float"]


def test_unknown_fields_are_ignored(run, read_runs):
    [row], refused = read_runs([run(schema_version=7, runtime_metadata={"pack_id": "p", "x": [1]})])
    assert refused == []
    assert "schema_version" not in row


@pytest.mark.parametrize("name", ["task_id", "model_id", "run_index"])
def test_an_identity_given_twice_is_refused(name, run, read_runs):
    value = json.dumps(run()[name])
    record = json.dumps(run())[:-1] + f', "{name}": {value}}}'
    _, [refusal] = read_runs([record.encode()])
    assert refusal.reason == "duplicate_key_in_object"


def test_words_that_look_like_an_identity_are_no_second_one(run, read_runs):
    record = run(
        evidence_citations=[{"citation_text": "by task_id", "source_column": "task_id"}],
        structured_metrics={"task_id": "model_id", "run_index": 3},
        raw_response_text='"task_id": "T-9"',
    )
    [row], refused = read_runs([record])
    assert refused == []
    assert row["task_id"] == "T-1"


def test_of_other_keys_given_twice_the_last_counts(run, read_runs):
    record = json.dumps(run(structured_metrics="M")).replace('"M"', '{"a": 1, "b": 2, "a": 3}').encode()
    [row], _ = read_runs([record])
    assert row["structured_metrics"] == '{"a":3,"b":2}'
    assert row["input_flags"] == ["repeated_key_last_counts"]


@pytest.mark.parametrize(
    ("extra", "is_repeated"),
    [
        (', "key_findings": ["b"]}', True),
        (', "key_findings" : ["b"]}', True),
        (', "notes": {"x": {"y": 1, "y": 1}}}', True),
        (', "notes": {"y": 1, "x": {"y": 1}}, "limitations ": null}', False),
        (', "notes": "a \\":\\" :\\":"}', False),
        (', "notes": [{"y": 1}, {"y": 1}], "evidence_citations ": [null]}', False),
    ],
)
def test_a_repeated_key_is_flagged_wherever_it_stands(extra, is_repeated, run, read_runs):
    record = json.dumps(run(key_findings=["a"]))[:-1] + extra
    [row], _ = read_runs([record.encode()])
    assert row["input_flags"] == ["repeated_key_last_counts"] * is_repeated
    if "key_findings" in extra:
        assert row["key_findings"] == ["b"]


def test_metrics_keep_the_order_of_their_keys(run, read_runs):
    [row], _ = read_runs([run(structured_metrics={"b": 1, "a": {"d": 1, "c": 2}})])
    assert row["structured_metrics"] == '{"b":1,"a":{"d":1,"c":2}}'


def test_limits_refuse_and_name_themselves(run, read_runs):
    _, [refusal] = read_runs([run(limitations=["a"] * 4)], max_entries=3)
    assert (refusal.reason, "limitations" in refusal.detail) == ("too_many_entries", True)
    _, [refusal] = read_runs([run(structured_metrics={"a": [[1]]})], max_depth=2)
    assert refusal.reason == "too_deep"
    rows, refused = read_runs([run(structured_metrics={"a": [1], "b": [2], "c": {}})], max_depth=2)
    assert (len(rows), refused) == (1, [])


def test_a_long_record_is_taken_up_to_the_limit(run, read_runs):
    [row], _ = read_runs([run(key_findings=["x" * 10_000_000])])
    assert len(row["key_findings"][0]) == 10_000_000
    _, [refusal] = read_runs([run(key_findings=["x" * 50_000_000])])
    assert refusal.reason == "too_long"


def test_the_same_content_has_the_same_hash_however_it_is_written(run, read_runs):
    plain = run(limitations=[], runtime_metadata=None)
    written = json.dumps(plain | {"limitations": None, "extra": 1}, indent=None, separators=(" ,  ", " : "))
    [one, other], _ = read_runs([plain, written.encode()])
    assert one["content_hash"] == other["content_hash"]
    assert len(one["content_hash"]) == 32


@pytest.mark.parametrize(
    "changes",
    [
        {"raw_response_text": "Other."},
        {"structured_metrics": {"students": 135.0}},
        {"runtime_metadata": {"latency_ms": 4}},
        {"key_findings": ["An “odd” one: é \u2028 x", "135 students."]},
    ],
)
def test_other_content_has_another_hash(changes, run, read_runs):
    [one, other], _ = read_runs([run(), run(**changes)])
    assert one["content_hash"] != other["content_hash"]


def test_the_hash_is_pinned(run, read_runs):
    [row], _ = read_runs([run()])
    assert row["content_hash"] == PINNED


PINNED = "e42fe29f7634ae2dfa960006f4973cf7"


def test_every_code_that_is_used_is_explained():
    cases = {reason for _, reason in (*BROKEN.values(), *INVALID.values())}
    assert cases <= REASONS.keys()
