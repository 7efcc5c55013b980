"""A folder of every kind of broken file, through the real command: each record has its code, no neighbour is lost."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from small_inputs import run, task, write_lines

BYTES_LIMIT = 40_000
SETTINGS = f"""
max_record_bytes = {BYTES_LIMIT}
max_expanded_bytes = 200_000
max_entries = 50
max_depth = 20
max_refused = 100
"""


def line(index: int, **changes: object) -> bytes:
    return json.dumps(run(0, f"m{index}") | changes).encode()


def text(template: bytes, value: bytes) -> bytes:
    """A run with a value written by hand."""
    return template.replace(b'"VALUE"', value)


FIELDS = line(0, structured_metrics={"a": "VALUE"})
BAD_LINES = {
    "broken": (b'{"task_id": }', "bad_json"),
    "cut off": (b'{"task_id": "T-1", "model', "truncated"),
    "text after the object": (b'{"a": 1} more', "bad_json"),
    "invalid utf-8": (b'{"a": "\xc3\x28"}', "not_utf8"),
    "bare NaN": (text(FIELDS, b"NaN"), "nonfinite_number"),
    "bare Infinity": (text(FIELDS, b"-Infinity"), "nonfinite_number"),
    "1e999": (text(FIELDS, b"1e999"), "nonfinite_number"),
    "an integer beyond floats": (text(FIELDS, b"9" * 400), "nonfinite_number"),
    "a lone surrogate": (text(FIELDS, b'"\\udc00"'), "lone_surrogate"),
    "an id given twice": (line(0)[:-1] + b', "task_id": "T-2"}', "duplicate_key_in_object"),
    "a text where a list belongs": (line(0, key_findings="x"), "wrong_type"),
    "a number as text": (line(0, run_index="0"), "wrong_type"),
    "null as an id": (line(0, model_id=None), "wrong_type"),
    "a blank id": (line(0, model_id="\u00a0\t"), "empty_id"),
    "a missing field": (b'{"model_id": "m", "run_index": 0}', "missing_field"),
    "a negative index": (line(0, run_index=-1), "out_of_range"),
    "too long": (line(0, raw_response_text="x" * BYTES_LIMIT), "too_long"),
    "too many entries": (line(0, limitations=["x"] * 51), "too_many_entries"),
    "nested 10,000 deep": (text(FIELDS, b"[" * 10_000 + b"]" * 10_000), "too_deep"),
    "nested 30 deep": (text(FIELDS, b"[" * 30 + b"]" * 30), "too_deep"),
    "of no known task": (line(0, task_id="t-1 "), "unknown_task"),
}
"""A line and its code; each stands between two good ones."""


def parquet(folder: Path) -> None:
    base = {"task_id": ["T-1"], "model_id": ["m300"], "run_index": [0]}
    pq.write_table(pa.table(base | {"extra": [b"\xff"]}), folder / "extra.parquet")
    pq.write_table(pa.table(base | {"run_index": pa.array([0.0])}), folder / "float.parquet")
    many = 3_000
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * many, pa.int32()), pa.array(["x" * 1_000]))
    wide = {"task_id": ["T-1"] * many, "model_id": ["m301"] * many, "run_index": list(range(many))}
    pq.write_table(pa.table(wide | {"raw_response_text": repeated}), folder / "bomb.parquet")
    (folder / "no.parquet").write_bytes(b"PAR1 and nothing else PAR1")


def write_runs(folder: Path) -> dict[tuple[str, int | None], str]:
    """Write the files; return the code of every record to be refused, by file and line."""
    folder.mkdir(parents=True)
    good, bad = iter(range(1, 200)), {}
    lines: list[bytes] = [line(next(good))]
    for content, reason in BAD_LINES.values():
        lines += [content, line(next(good))]
        bad["runs/lines.jsonl", len(lines) - 1] = reason
    (folder / "lines.jsonl").write_bytes(b"\n".join(lines))
    whole = {
        "bom.jsonl": b"\xef\xbb\xbf" + line(100) + b"\r\n" + line(101) + b"\r\n",
        "array.jsonl": b"[" + line(102) + b",\n{},\n" + line(103) + b"]",
        "document.json": json.dumps(run(0, "m104"), indent=1).encode(),
        "separator.jsonl": json.dumps(run(0, "m105", key_findings=["a\u2028b"]), ensure_ascii=False).encode(),
        "empty.jsonl": b"",
        "empty.json": b"",
        "utf16.jsonl": line(106).decode().encode("utf-16"),
        "cut.jsonl": line(107) + b"\n" + line(108)[:200],
        "cut.jsonl.gz": gzip.compress(line(109) + b"\n" + os.urandom(60_000).hex().encode())[:40_000],
        "bomb.jsonl.gz": gzip.compress(line(110) + b"\n" + b" " * 1_000_000),
        "bomb.jsonl.zst": zstandard.ZstdCompressor().compress(line(111) + b"\n" + b" " * 1_000_000),
        "damaged.jsonl.gz": b"\x1f\x8b\x08\x00" + b"no gzip at all",
        "junk.jsonl": line(112) + b"\n" + b"{}\n" * 150 + line(199),
        "nulls.jsonl": line(113, key_findings=[None, "135 students.", None], evidence_citations=[None]),
        "big.jsonl": text(line(114, structured_metrics={"a": "VALUE"}), b"18446744073709551616"),
        "twice.jsonl": text(line(115, structured_metrics="VALUE"), b'{"a": 1, "a": 2}'),
    }
    for name, data in whole.items():
        (folder / name).write_bytes(data)
    parquet(folder)
    (folder / "outside.jsonl").symlink_to(folder.parent / "secret.jsonl")
    return bad | {
        ("runs/array.jsonl", 2): "missing_field",
        ("runs/empty.json", 1): "truncated",
        ("runs/utf16.jsonl", 1): "wrong_encoding",
        ("runs/cut.jsonl", 2): "truncated",
        ("runs/cut.jsonl.gz", 2): "truncated",
        ("runs/bomb.jsonl.gz", 2): "expanded_too_large",
        ("runs/bomb.jsonl.zst", 2): "expanded_too_large",
        ("runs/damaged.jsonl.gz", 1): "bad_compression",
        ("runs/float.parquet", None): "wrong_type",
        ("runs/bomb.parquet", None): "expanded_too_large",
        ("runs/no.parquet", None): "bad_parquet",
        ("runs/outside.jsonl", None): "outside_folder",
    }


@pytest.fixture(scope="module")
def broken(command, tmp_path_factory):
    """The result of the folder of broken files, the expected codes, and how the command ended."""
    folder = tmp_path_factory.mktemp("broken")
    expected = write_runs(folder / "runs")
    (folder / "secret.jsonl").write_bytes(line(198))
    write_lines(folder / "packs" / "tasks.jsonl", [task("T-1"), task("T-2")])
    (folder / "limits.toml").write_text(SETTINGS)
    arguments = ("runs", "--packs", "packs", "--out", "out", "--settings", "limits.toml", "--threads", "1")
    finished = command(folder, "score", *arguments)
    assert finished.returncode == 3, finished.stderr
    return folder / "out", expected, finished


def test_every_bad_record_has_its_code_at_its_place(broken):
    out, expected, _ = broken
    rejects = pl.read_parquet(out / "rejects.parquet").filter(pl.col("file") != "runs/junk.jsonl")
    told = {(file, place): reason for file, place, reason in rejects.select("file", "line", "reason").rows()}
    assert told == expected
    assert rejects["detail"].str.len_chars().min() > 0


def test_the_good_neighbours_are_all_scored(broken):
    out, _, _ = broken
    models = set(pl.read_parquet(out / "overall_scores.parquet")["model_id"])
    wanted = {
        f"m{index}" for index in (*range(1, len(BAD_LINES) + 2), *range(100, 106), 107, *range(109, 116))
    }
    assert models - {"m301"} == wanted | {"m300"}


def test_a_file_of_nothing_but_bad_records_is_left_at_the_limit(broken):
    out, _, _ = broken
    junk = pl.read_parquet(out / "rejects.parquet").filter(pl.col("file") == "runs/junk.jsonl")
    assert junk["reason"].value_counts().sort("reason").rows() == [
        ("missing_field", 100),
        ("too_many_refused", 1),
    ]


def test_what_was_mended_is_flagged(broken):
    out, _, _ = broken
    runs = pl.read_parquet(out / "runs.parquet", columns=["model_id", "input_flags", "structured_metrics"])
    flagged = dict(runs.filter(pl.col("input_flags").list.len() > 0).select("model_id", "input_flags").rows())
    assert flagged == {
        "m113": ["null_entry_dropped"],
        "m114": ["big_integer_as_float"],
        "m115": ["repeated_key_last_counts"],
    }
    metrics = dict(runs.select("model_id", "structured_metrics").rows())
    assert metrics["m114"] == '{"a":1.8446744073709552e19}'
    assert metrics["m115"] == '{"a":2}'


def test_a_bomb_gives_the_rows_up_to_the_limit_and_says_where_it_was_left(broken):
    out, _, _ = broken
    runs = pl.read_parquet(out / "runs.parquet").filter(pl.col("model_id") == "m301")
    assert 150 < runs.height < 200
    assert runs["run_index"].to_list() == list(range(runs.height))


def test_each_stage_accounts_for_every_record(broken):
    out, _, finished = broken
    manifest = json.loads((out / "manifest.json").read_text())
    read = manifest["stages"]["read_runs"]
    rejects = pl.read_parquet(out / "rejects.parquet").height
    runs = pl.read_parquet(out / "runs.parquet").height
    assert read["received"]["records"] == runs + rejects
    assert read["made"] == {"runs": runs}
    assert read["refused"] == {"rejects": rejects, "duplicates": 0, "replaced": 0}
    assert f"{rejects:,} records were refused" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_what_lies_outside_the_folder_is_not_read(broken):
    out, _, _ = broken
    assert "m198" not in set(pl.read_parquet(out / "runs.parquet")["model_id"])
    names = [
        one["name"] for one in json.loads((out / "manifest.json").read_text())["inputs"]["runs"]["files"]
    ]
    assert "runs/outside.jsonl" not in names


def test_a_task_that_looks_the_same_is_named(broken):
    out, _, _ = broken
    details = pl.read_parquet(out / "rejects.parquet").filter(reason="unknown_task")["detail"].to_list()
    assert details == [
        "no task of the catalogue has the id 't-1 '; 'T-1' looks the same, but ids are compared as they are"
    ]
