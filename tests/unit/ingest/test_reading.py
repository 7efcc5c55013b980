"""From paths to accepted and refused rows: every record is in one place."""

from __future__ import annotations

import gzip
import json
import random

import polars as pl
import pytest
import zstandard

import pipelines.sources
from grade.errors import InputError
from grade.ingest.limits import Limits
from grade.ingest.reasons import REASONS
from grade.schemas import REJECTS, RUNS, VERDICTS, check
from pipelines.catalogue import load_catalogue
from pipelines.reading import read_runs, read_verdicts


@pytest.fixture
def place(tmp_path, monkeypatch, task):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "small_pack.jsonl").write_text(
        json.dumps(task()) + "\n" + json.dumps(task(task_id="T-2"))
    )
    (tmp_path / "runs").mkdir()
    return tmp_path


@pytest.fixture
def catalogue(place):
    return load_catalogue(place / "packs")


def lines(*records):
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def told(read):
    return read.rejects.select("file", "line", "reason").rows()


def test_files_of_all_kinds_are_read_into_one_table(place, catalogue, run):
    (place / "runs/a.jsonl").write_bytes(lines(run(run_index=0), run(run_index=1)))
    (place / "runs/b.json").write_text(json.dumps(run(run_index=2), indent=2))
    (place / "runs/c.json").write_text(json.dumps([run(run_index=3), run(run_index=4)]))
    (place / "runs/d.jsonl.gz").write_bytes(gzip.compress(lines(run(run_index=5))))
    (place / "runs/e.ndjson.zst").write_bytes(zstandard.ZstdCompressor().compress(lines(run(run_index=6))))
    pl.DataFrame({"task_id": ["T-2"], "model_id": ["acme/a"], "run_index": [7]}).write_parquet(
        "runs/f.parquet"
    )
    read = read_runs(["runs"], catalogue=catalogue)
    check(read.runs, RUNS)
    check(read.rejects, REJECTS)
    assert read.runs["run_index"].to_list() == list(range(8))
    assert (read.n_records, read.n_duplicates, read.rejects.height) == (8, 0, 0)
    assert [entry.name for entry in read.inputs] == [
        f"runs/{name}" for name in ("a.jsonl", "b.json", "c.json", "d.jsonl.gz", "e.ndjson.zst", "f.parquet")
    ]


def test_the_written_runs_are_read_back_as_the_same(place, catalogue, run):
    (place / "runs/a.jsonl").write_bytes(lines(run(), run(run_index=1, structured_metrics={"a": 2**70})))
    first = read_runs(["runs"], catalogue=catalogue)
    first.runs.write_parquet(place / "runs/b.parquet")
    again = read_runs(["runs"], catalogue=catalogue)
    assert again.n_duplicates == 2
    assert again.runs["content_hash"].to_list() == first.runs["content_hash"].to_list()


def test_rejects_come_from_every_stage_in_the_order_of_the_files(place, catalogue, run):
    (place / "runs/b.jsonl").write_bytes(lines(run(task_id="T-9"), b"{", run(), run(key_findings=["x"])))
    (place / "runs/a.jsonl").write_bytes(lines(b"\xff", run(run_index=1), run(run_index=1)))
    read = read_runs(["runs"], catalogue=catalogue)
    assert told(read) == [
        ("runs/a.jsonl", 1, "not_utf8"),
        ("runs/b.jsonl", 1, "unknown_task"),
        ("runs/b.jsonl", 2, "truncated"),
        ("runs/b.jsonl", 3, "duplicate_conflict"),
        ("runs/b.jsonl", 4, "duplicate_conflict"),
    ]
    assert (read.runs.height, read.n_duplicates, read.n_records) == (1, 1, 7)
    assert set(read.rejects["reason"]) <= REASONS.keys()


def test_a_conflict_shows_the_beginning_of_each_record(place, catalogue, run):
    long = run(key_findings=["é" * 3000])
    (place / "runs/a.jsonl").write_bytes(lines(run(), json.dumps(long, ensure_ascii=False).encode()))
    read = read_runs(["runs"], catalogue=catalogue)
    first, second = read.rejects["raw"]
    assert json.loads(first) == run()
    assert 1_998 <= len(second.encode()) <= 2_000
    assert json.dumps(long, ensure_ascii=False).startswith(second)


def test_a_cut_off_gzip_keeps_its_whole_lines(place, catalogue, run):
    draw = random.Random(1)
    records = [run(run_index=n, raw_response_text=draw.randbytes(200).hex()) for n in range(200)]
    data = gzip.compress(lines(*records))
    (place / "runs/a.jsonl.gz").write_bytes(data[: len(data) // 2])
    read = read_runs(["runs"], catalogue=catalogue)
    n_whole = read.runs.height
    assert 80 < n_whole < 120
    assert read.runs["run_index"].to_list() == list(range(n_whole))
    assert told(read) == [("runs/a.jsonl.gz", n_whole + 1, "truncated")]


def test_a_bomb_is_one_reject(place, catalogue, run):
    (place / "runs/a.jsonl.gz").write_bytes(gzip.compress(lines(run()) + bytes(50 * 2**20)))
    (place / "runs/b.jsonl").write_bytes(lines(run(run_index=1)))
    read = read_runs(["runs"], catalogue=catalogue, limits=Limits(max_expanded_bytes=10 * 2**20))
    assert told(read) == [("runs/a.jsonl.gz", 2, "expanded_too_large")]
    assert read.runs["run_index"].to_list() == [0, 1]


def test_a_file_that_vanishes_is_one_reject(place, catalogue, run, monkeypatch):
    (place / "runs/a.jsonl").write_bytes(lines(run()))
    (place / "runs/b.jsonl").write_bytes(lines(run(run_index=1)))
    source = pipelines.sources.Source

    def vanish(found, *, limits):
        if found.name == "runs/a.jsonl":
            found.path.unlink()
        return source(found, limits=limits)

    monkeypatch.setattr("pipelines.reading.Source", vanish)
    read = read_runs(["runs"], catalogue=catalogue)
    assert told(read) == [("runs/a.jsonl", None, "unreadable_file")]
    assert read.runs.height == 1
    assert [entry.name for entry in read.inputs] == ["runs/b.jsonl"]


def test_a_disk_that_fails_half_way_is_one_reject(place, catalogue, run, monkeypatch):
    (place / "runs/a.jsonl").write_bytes(lines(run(), run(run_index=1)))
    read_block = pipelines.sources._Hashed.read
    blocks = []

    def fail(hashed, size=-1):
        blocks.append(size)
        if len(blocks) > 1:
            raise OSError(5, "Input/output error")
        return read_block(hashed, size)

    monkeypatch.setattr(pipelines.sources._Hashed, "read", fail)
    read = read_runs(["runs"], catalogue=catalogue)
    assert told(read) == [("runs/a.jsonl", 3, "unreadable_file")]
    assert read.runs.height == 2
    assert read.inputs == ()


def test_file_order_and_line_order_change_nothing(place, catalogue, run):
    records = [
        run(run_index=n, model_id=model) for n in range(5) for model in ("b", "a/../x", "é" * 300, "🙂")
    ]
    (place / "runs/a.jsonl").write_bytes(lines(*records))
    expected = read_runs(["runs"], catalogue=catalogue).runs
    for seed in range(3):
        shuffled = random.Random(seed).sample(records, len(records))
        (place / "runs/a.jsonl").write_bytes(lines(*shuffled[:7]))
        (place / "runs/b.jsonl").write_bytes(lines(*shuffled[7:]))
        assert read_runs(["runs/b.jsonl", "runs/a.jsonl"], catalogue=catalogue).runs.equals(expected)


def test_progress_is_told(place, catalogue, run):
    (place / "runs/a.jsonl").write_bytes(lines(run(), run(run_index=1)))
    seen = []
    read_runs(["runs"], catalogue=catalogue, on_progress=seen.append)
    assert seen == [2]


def test_runs_that_are_nowhere_stop(catalogue):
    with pytest.raises(InputError, match="no such file"):
        read_runs(["away.jsonl"], catalogue=catalogue)


def test_verdicts_of_all_kinds(place, catalogue, run, verdict):
    (place / "runs/a.jsonl").write_bytes(lines(run()))
    runs = read_runs(["runs"], catalogue=catalogue).runs
    (place / "v.jsonl").write_bytes(lines(verdict(), verdict(run_index=9), verdict(int_score=4.5)))
    (place / "v.csv").write_text(
        "model_id,task_id,run_index,judge_id,claim_id,int_score,findings\n"
        'acme/a,T-1,0,j1,insight:0,4,"[{""severity"": ""low"", ""title"": ""t""}]"\n'
        "acme/a,T-1,0,j1,insight:7,4,\n"
    )
    pl.DataFrame([verdict(judge_id="j2", numeric_score=0.9)]).write_parquet("v.parquet")
    read = read_verdicts(["v.csv", "v.jsonl", "v.parquet"], runs=runs, catalogue=catalogue)
    check(read.verdicts, VERDICTS)
    assert read.verdicts.select("file", "judge_id", "unit_score").sort("file").rows() == [
        ("v.csv", "j1", 0.8),
        ("v.jsonl", "j1", 1.0),
        ("v.parquet", "j2", 0.9),
    ]
    assert told(read) == [
        ("v.csv", 3, "unknown_claim"),
        ("v.jsonl", 2, "unknown_run"),
        ("v.jsonl", 3, "wrong_type"),
    ]
    assert read.n_records == 6


def test_no_verdict_files_are_no_verdicts(catalogue):
    read = read_verdicts([], runs=RUNS.empty(), catalogue=catalogue)
    check(read.verdicts, VERDICTS)
    assert (read.n_records, read.inputs) == (0, ())
