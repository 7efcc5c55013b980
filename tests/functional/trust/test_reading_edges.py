"""Sizes, schema versions and types at their edges, through the real command."""

from __future__ import annotations

import json
import time

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_inputs import run, task, write_lines

from pipelines.catalogue import load_catalogue
from pipelines.reading import read_runs, read_verdicts

SCORE = ("score", "runs", "--packs", "packs", "--out", "out")
SECONDS = 150
"""Far more than it takes, for busy machines; what grows with the square takes hours."""


@pytest.fixture
def packs(tmp_path):
    write_lines(tmp_path / "packs" / "tasks.jsonl", [task("T-1")])
    return tmp_path


@pytest.mark.slow
def test_a_line_of_50_megabytes_is_refused_or_taken_by_the_limit(packs, grade):
    huge = json.dumps(run(0, "acme/huge", raw_response_text="135 students. " * (50 * 2**20 // 14)))
    write_lines(packs / "runs" / "a.jsonl", [run(0, "acme/before"), huge, run(0, "acme/after")])
    started = time.monotonic()
    finished = grade(*SCORE)
    assert time.monotonic() - started < SECONDS
    assert finished.returncode == 3, finished.stderr
    refused = pl.read_parquet(packs / "out" / "rejects.parquet")
    assert refused.select("file", "line", "reason").rows() == [("runs/a.jsonl", 2, "too_long")]
    assert refused["detail"][0].endswith("the limit is 33,554,432")
    models = pl.read_parquet(packs / "out" / "overall_scores.parquet")["model_id"].to_list()
    assert models == ["acme/after", "acme/before"]
    (packs / "more.toml").write_text("max_record_bytes = 60_000_000\n")
    assert grade(*SCORE, "--settings", "more.toml").returncode == 0
    assert pl.read_parquet(packs / "out" / "runs.parquet").height == 3


@pytest.mark.slow
def test_a_finding_of_10_megabytes_of_one_character_is_scored_in_seconds(packs, grade):
    write_lines(packs / "runs" / "a.jsonl", [run(0, "acme/huge", key_findings=["1" * 10 * 2**20]), run(0)])
    started = time.monotonic()
    finished = grade(*SCORE)
    assert time.monotonic() - started < SECONDS
    assert finished.returncode == 0, finished.stderr
    assert pl.read_parquet(packs / "out" / "overall_scores.parquet").height == 2


def test_files_of_other_schema_versions_are_read_together(packs, grade):
    key = {"task_id": "T-1", "run_index": 0}
    findings = {"key_findings": ["The program enrolls 135 students."]}
    write_lines(packs / "runs" / "1-old.jsonl", [key | {"model_id": "old"} | findings])
    newer = {"schema_version": "9", "reasoning_trace": [{"step": 1}], "runtime_metadata": {"gpu": "x"}}
    write_lines(packs / "runs" / "2-new.jsonl", [run(0, "new") | newer])
    columns = {name: [value] for name, value in (key | {"model_id": "table"} | findings).items()}
    pq.write_table(pa.table(columns | {"added_later": [1.5]}), packs / "runs" / "3-table.parquet")
    assert grade(*SCORE).returncode == 0
    runs = pl.read_parquet(packs / "out" / "runs.parquet")
    assert runs["model_id"].to_list() == ["new", "old", "table"]
    assert runs["key_findings"].list.first().unique().to_list() == ["The program enrolls 135 students."]
    assert runs["latency_ms"].to_list() == [None, None, None]
    assert runs["limitations"].list.len().to_list() == [1, 0, 0]
    checks = pl.read_parquet(packs / "out" / "fact_checks.parquet")
    assert checks["matched"].to_list() == [True, True, True]


def test_no_type_is_guessed_from_the_first_records(packs):
    """What comes after more records than engines look at keeps its own type and its own keys."""
    many = 25_000
    metrics = [{"students": 1}] * many + [{"students": 135.5, "late": "80.9%"}, {"students": {"all": 135}}]
    runs = [run(index, structured_metrics=one) for index, one in enumerate(metrics)]
    for record in runs:
        record["runtime_metadata"] = {"latency_ms": 10}
    runs[-1]["runtime_metadata"] = {"latency_ms": 10.25, "cost_usd": 0.5}
    path = write_lines(packs / "a.jsonl", runs)
    head = "model_id,task_id,run_index,judge_id,dimension,int_score,numeric_score,confidence\n"
    rows = [f"acme/model-a,T-1,{index},j,structure_usability,4,,\n" for index in range(many)]
    (packs / "v.csv").write_text(
        head + "".join(rows) + f"acme/model-a,T-1,{many},j,structure_usability,,0.875,0.5\n"
    )
    catalogue = load_catalogue(packs / "packs")
    read = read_runs([str(path)], catalogue=catalogue)
    kept = read.runs.tail(2)
    assert kept["structured_metrics"].to_list() == [
        '{"students":135.5,"late":"80.9%"}',
        '{"students":{"all":135}}',
    ]
    assert kept.select("latency_ms", "cost_usd").rows() == [(10.0, None), (10.25, 0.5)]
    verdicts = read_verdicts([str(packs / "v.csv")], runs=read.runs, catalogue=catalogue).verdicts
    assert verdicts.tail(1).select("numeric_score", "confidence").rows() == [(0.875, 0.5)]
    assert verdicts["confidence"].null_count() == many
