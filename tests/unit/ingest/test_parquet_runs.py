"""Runs from Parquet, whatever types its columns have."""

from __future__ import annotations

import datetime as dt
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from grade.ingest.limits import DEFAULT_LIMITS
from grade.ingest.parquet import RUN_FIELDS, cut_parquet, decode_run_rows

BASE = {
    "task_id": ["T-1", "T-1"],
    "model_id": ["a", "b"],
    "run_index": [0, 1],
    "structured_metrics": ['{"b": 1, "a": 2.50}', None],
    "key_findings": [["x", None], []],
    "latency_ms": [3.0, None],
}


def read(table, *, limits=DEFAULT_LIMITS):
    if not isinstance(table, bytes):
        sink = io.BytesIO()
        pq.write_table(table, sink)
        table = sink.getvalue()
    rows, refused = [], []
    for batch in cut_parquet(io.BytesIO(table), file="r.parquet", columns=RUN_FIELDS):
        frame, others = decode_run_rows(batch, limits=limits)
        rows += frame.to_dicts()
        refused += others
    return rows, refused


def table(**changes):
    return pa.table({name: values for name, values in (BASE | changes).items() if values is not None})


def test_rows_become_runs():
    rows, refused = read(table())
    assert refused == []
    assert rows[0]["structured_metrics"] == '{"b":1,"a":2.5}'
    assert rows[0]["key_findings"] == ["x"]
    assert rows[0]["input_flags"] == ["null_entry_dropped"]
    assert rows[1]["structured_metrics"] == "{}"
    assert (rows[0]["latency_ms"], rows[1]["latency_ms"]) == (3.0, None)
    assert (rows[0]["line"], rows[0]["byte_offset"]) == (None, None)


@pytest.mark.parametrize(
    "kinds",
    [
        {"task_id": pa.large_string(), "run_index": pa.int8()},
        {"task_id": pa.string_view(), "run_index": pa.uint64()},
        {"task_id": pa.dictionary(pa.int8(), pa.string()), "latency_ms": pa.float32()},
        {"key_findings": pa.large_list(pa.large_string())},
    ],
)
def test_other_types_with_the_same_values_are_read_alike(kinds):
    changed = table()
    for name, kind in kinds.items():
        changed = changed.set_column(changed.schema.get_field_index(name), name, changed[name].cast(kind))
    rows, refused = read(changed)
    assert refused == []
    assert [row["content_hash"] for row in rows] == [row["content_hash"] for row in read(table())[0]]


def test_json_and_parquet_say_the_same(run, read_runs):
    record = run()
    [row], _ = read_runs([record])
    columns = {name: [value] for name, value in record.items()}
    columns["structured_metrics"] = [row["structured_metrics"]]
    [nested], _ = read(pa.table(columns))
    columns |= {name: [value] for name, value in record["runtime_metadata"].items()}
    del columns["runtime_metadata"]
    [flat], _ = read(pa.table(columns))
    assert nested["content_hash"] == flat["content_hash"] == row["content_hash"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"run_index": [0.0, 1.0]}, "wrong_type"),
        ({"run_index": ["0", "1"]}, "wrong_type"),
        ({"run_index": [True, False]}, "wrong_type"),
        ({"task_id": [b"a", b"b"]}, "wrong_type"),
        ({"key_findings": ["x", "y"]}, "wrong_type"),
        ({"task_id": [1, 2]}, "wrong_type"),
        ({"task_id": None}, "missing_field"),
        ({"model_id": [None, None]}, "missing_field"),
        ({"model_id": ["", " "]}, "empty_id"),
        ({"structured_metrics": ["[]", "7"]}, "wrong_type"),
        ({"structured_metrics": ["{", "{'a': 1}"]}, "bad_json"),
        ({"structured_metrics": ['{"a": NaN}', '{"a": 1e999}']}, "nonfinite_number"),
        ({"model_temperature": [float("nan"), float("inf")]}, "nonfinite_number"),
        ({"timestamp_utc": [dt.datetime(2026, 1, 1, tzinfo=dt.UTC)] * 2}, "wrong_type"),
    ],
)
def test_a_row_of_wrong_values_is_refused_as_in_json(changes, reason):
    rows, refused = read(table(**changes))
    assert rows == []
    codes = {refusal.reason for refusal in refused}
    assert (len(refused), codes) == (2, {reason}) or codes == {reason, "truncated"}


def test_a_bad_row_costs_only_itself():
    rows, [refusal] = read(table(structured_metrics=["{", "{}"]))
    assert [row["model_id"] for row in rows] == ["b"]
    assert refusal.raw.startswith(b'{"task_id":"T-1"')


def test_nan_in_typed_metrics_is_dropped_and_flagged():
    rows, _ = read(table(structured_metrics=[{"a": float("nan"), "b": 1.0}, {"a": 2.0, "b": None}]))
    assert rows[0]["structured_metrics"] == '{"b":1.0}'
    assert "nonfinite_metric_dropped" in rows[0]["input_flags"]
    assert rows[1]["structured_metrics"] == '{"a":2.0,"b":null}'


def test_other_columns_are_not_read():
    rows, refused = read(table(when=[dt.date(2026, 1, 1)] * 2, blob=[b"\xff"] * 2))
    assert (len(rows), refused) == (2, [])


def test_a_text_that_is_not_utf8_costs_only_its_row():
    texts = pa.array([b"T-1", b"\xff"], pa.binary()).view(pa.string())
    changed = table().set_column(0, "task_id", texts)
    rows, [refusal] = read(changed)
    assert [row["model_id"] for row in rows] == ["a"]
    assert refusal.reason == "not_utf8"


def test_a_file_of_no_known_column_is_missing_fields():
    rows, refused = read(pa.table({"x": [1, 2, 3]}))
    assert rows == []
    assert [refusal.reason for refusal in refused] == ["missing_field"] * 3


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"{}"])
def test_what_is_no_parquet_is_refused_once(data):
    rows, [refusal] = read(data)
    assert (rows, refusal.reason) == ([], "bad_parquet")


def test_a_damaged_file_keeps_what_came_before():
    sink = io.BytesIO()
    pq.write_table(pa.concat_tables([table()] * 500), sink, row_group_size=100, compression="none")
    data = bytearray(sink.getvalue())
    middle = len(data) // 2
    data[middle : middle + 2_000] = bytes(2_000)
    _, refused = read(bytes(data))
    assert refused
