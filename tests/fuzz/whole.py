"""Whole files through the whole way: what must hold for any bytes. Shared by hypothesis and atheris."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from grade.db import Database
from grade.dimensions import DIMENSIONS, WEIGHTS
from grade.errors import GradeError
from grade.ingest.limits import Limits
from grade.ingest.reasons import REASONS
from grade.rollup import roll_up, roll_up_tasks
from grade.schemas import CLAIM_CHECKS, FACT_CHECKS, RUN_KEY, RUNS, VERDICTS, check
from pipelines.batch import score_batch
from pipelines.catalogue import Catalogue, load_catalogue
from pipelines.reading import ReadRuns, read_runs, read_verdicts

LIMITS = Limits(max_record_bytes=20_000, max_expanded_bytes=100_000, max_refused=50, max_metrics=500)

TASK = {
    "task_id": "T",
    "track": 3,
    "title": "t",
    "user_prompt": "p",
    "task_type": "retrieval",
    "allowed_inputs": ["a.csv"],
    "gold_facts": [
        {"fact_id": "F1", "claim": "80.9% attended at SCH-001 in October.", "numeric_value": 0.809}
        | {"tolerance": "5%", "unit": "fraction", "metric_keys": ["rate"]},
        {"fact_id": "F2", "claim": "SCH-002 has the lowest rate.", "string_value": "SCH-002"},
        {"fact_id": "F3", "claim": "Attendance fell by 3 points between October and May."},
    ],
    "gold_insights": ["Attendance fell in spring.", {"text": "It is no trend.", "calibration": True}],
    "required_limitations": ["Withdrawn students are not counted."],
    "forbidden_claims": ["Tutoring caused the growth of attendance."],
    "rubric": {key: {"weight": weight / 100} for key, weight in WEIGHTS.items()},
}
RUN = {
    "task_id": "T",
    "model_id": "m",
    "run_index": 0,
    "key_findings": ["80.9% attended at SCH-001 in October.", "SCH-002 is lowest."],
    "limitations": ["Withdrawn students are not counted."],
    "structured_metrics": {"rate": 0.809, "by_school": [{"school_id": "SCH-002", "rate": "61 %"}]},
}


@cache
def catalogue() -> Catalogue:
    """The task above, loaded."""
    with TemporaryDirectory() as name:
        path = Path(name) / "fuzz_pack.jsonl"
        path.write_text(json.dumps(TASK))
        return load_catalogue(path)


@cache
def database() -> Database:
    """One database for all examples."""
    return Database(threads=1)


def check_runs(name: str, data: bytes, *, is_scored: bool = True) -> ReadRuns:
    """Read a file of runs and score what it holds; every record must be accounted for.

    Args:
        name: The file's name.
        data: Its bytes.
        is_scored: Not only read.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        read = read_runs([str(path)], catalogue=catalogue(), limits=LIMITS)
    assert read.n_records == read.runs.height + read.n_duplicates + read.rejects.height
    assert set(read.rejects["reason"]) <= REASONS.keys()
    assert read.rejects["detail"].str.len_chars().min() != 0
    check(read.runs, RUNS)
    if is_scored:
        check_scores(read.runs, catalogue())
    return read


def check_verdicts(name: str, data: bytes, *, is_scored: bool = True) -> None:
    """Read a file of verdicts on one run, and score the run with them."""
    runs = _standard_runs()
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        read = read_verdicts([str(path)], runs=runs, catalogue=catalogue(), limits=LIMITS)
    assert read.n_records == read.verdicts.height + read.n_duplicates + read.rejects.height
    assert set(read.rejects["reason"]) <= REASONS.keys()
    check(read.verdicts, VERDICTS)
    assert read.verdicts["unit_score"].is_between(0, 1).all()
    if is_scored:
        check_scores(runs, catalogue(), read.verdicts)


def check_tasks(data: bytes, *, is_scored: bool = True) -> None:
    """Load a file of tasks, and score an answer to each; a file that is none is refused with its place."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any_pack.jsonl"
        path.write_bytes(data)
        loaded = _loaded(path)
    if loaded is None or not is_scored:
        return
    runs = pl.concat(
        [
            _standard_runs()
            .with_columns(pl.lit(row["task_id"]).alias("task_id"), pl.lit(row["pack_id"]).alias("pack_id"))
            .with_columns(pl.lit(row["track"], pl.Int64).alias("track"))
            for row in loaded.table.rows(named=True)
        ]
    )
    check_scores(runs.sort(RUN_KEY), loaded)


def _loaded(path: Path) -> Catalogue | None:
    try:
        return load_catalogue(path)
    except GradeError as fault:
        if fault.exit_code != 2 or not fault.where:
            raise AssertionError("a refusal must tell its place") from fault
        return None


@cache
def _standard_runs() -> pl.DataFrame:
    with TemporaryDirectory() as name:
        path = Path(name) / "runs.jsonl"
        path.write_text(json.dumps(RUN) + "\n" + json.dumps(RUN | {"run_index": 1, "key_findings": []}))
        return read_runs([str(path)], catalogue=catalogue()).runs


def check_scores(runs: pl.DataFrame, loaded: Catalogue, verdicts: pl.DataFrame | None = None) -> None:
    """Score runs; each has its rows, and every score lies within 0 and 1."""
    if runs.is_empty():
        return
    given = VERDICTS.empty() if verdicts is None else verdicts
    made = score_batch(runs, given, gold=loaded.gold, catalogue=loaded, database=database())
    assert made.run_scores.height == runs.height * len(DIMENSIONS)
    assert made.run_scores["score"].drop_nulls().is_between(0, 1).all()
    assert made.run_scores["score"].is_nan().any() is not True
    _one_each(made.fact_checks, runs, loaded.gold.facts, FACT_CHECKS.key)
    _one_each(made.claim_checks, runs, loaded.gold.claims, CLAIM_CHECKS.key)
    tasks = roll_up_tasks(
        made.run_scores, made.consistency, made.claim_checks, loaded.table, database=database()
    )
    assert tasks["n_runs"].sum() == runs.height
    levels = roll_up(tasks, loaded.table, database=database())
    for frame in (tasks, levels.track, levels.pack, levels.overall):
        for column in ("composite", "weight_scored", *DIMENSIONS):
            assert frame[column].drop_nulls().is_between(0, 1).all(), column


def _one_each(checks: pl.DataFrame, runs: pl.DataFrame, gold: pl.DataFrame, key: tuple[str, ...]) -> None:
    """There is one check for each run and each thing that its task looks for."""
    expected = runs.join(gold.select("task_id"), on="task_id").height
    assert checks.height == expected
    assert checks.select(key).is_unique().all()
