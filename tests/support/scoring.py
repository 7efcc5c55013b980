"""Score records as the command does: files, catalogue, reading, scoring, roll-ups."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from grade.db import Database
from grade.dimensions import WEIGHTS
from grade.rollup import roll_up, roll_up_tasks
from pipelines.batch import score_batch
from pipelines.batches import cut_batches, of_groups
from pipelines.catalogue import Catalogue, load_catalogue
from pipelines.reading import read_runs, read_verdicts

Records = Sequence[dict]
Tables = dict[str, pl.DataFrame]

PACK = "pack_support"
MODEL = "lab/model"
SCORED = (
    *("fact_checks", "claim_checks", "citation_checks", "run_scores", "consistency"),
    *("task_scores", "track_scores", "pack_scores", "overall_scores"),
)
"""The tables that scoring makes."""


def task(task_id: str = "T", **fields: object) -> dict:
    """A valid task that measures nothing but what `fields` adds."""
    return {
        "task_id": task_id,
        "pack_id": PACK,
        "track": 1,
        "title": "A task",
        "user_prompt": "What do the files say?",
        "task_type": "retrieval",
        "allowed_inputs": [],
        "gold_facts": [],
        "gold_insights": [],
        "required_limitations": [],
        "forbidden_claims": [],
        "rubric": {key: {"weight": weight / 100} for key, weight in WEIGHTS.items()},
    } | fields


def run(task_id: str = "T", run_index: int = 0, model_id: str = MODEL, **fields: object) -> dict:
    """A run that says nothing but what `fields` adds."""
    return {"task_id": task_id, "model_id": model_id, "run_index": run_index} | fields


def verdict(of: dict, judge_id: str = "judge", **fields: object) -> dict:
    """A verdict on a run."""
    return {key: of[key] for key in ("task_id", "model_id", "run_index")} | {"judge_id": judge_id} | fields


def score_records(
    tasks: Records, runs: Records, verdicts: Records = (), *, batch_runs: int | None = None
) -> Tables:
    """Score records; every one of them must be valid.

    Args:
        tasks: Task records.
        runs: Run records.
        verdicts: Verdict records.
        batch_runs: Score in batches of about so many runs; at once when not given.

    Returns:
        Every table of scores by its name, and `tasks`, `runs` and `verdicts` as read.
    """
    with TemporaryDirectory() as name, Database() as database:
        catalogue, taken, judged = _read(Path(name), tasks, runs, verdicts)
        batches = [taken] if batch_runs is None else cut_batches(taken, batch_runs=batch_runs)
        parts = [
            score_batch(
                batch,
                of_groups(judged, batch),
                gold=catalogue.gold,
                catalogue=catalogue,
                database=database,
            )._asdict()
            for batch in batches
        ]
        made = {table: pl.concat([part[table] for part in parts]) for table in parts[0]}
        scored = (made[table] for table in ("run_scores", "consistency", "claim_checks"))
        task_scores = roll_up_tasks(*scored, catalogue.table, database=database)
        levels = roll_up(task_scores, catalogue.table, database=database)
    return {
        "tasks": catalogue.table,
        "runs": taken,
        "verdicts": judged,
        **made,
        "task_scores": task_scores,
        "track_scores": levels.track,
        "pack_scores": levels.pack,
        "overall_scores": levels.overall,
    }


def _read(
    folder: Path, tasks: Records, runs: Records, verdicts: Records
) -> tuple[Catalogue, pl.DataFrame, pl.DataFrame]:
    catalogue = load_catalogue(_written(folder / "gold_pack.jsonl", tasks))
    read = read_runs([str(_written(folder / "runs.jsonl", runs))], catalogue=catalogue)
    paths = [str(_written(folder / "verdicts.jsonl", verdicts))]
    judged = read_verdicts(paths, runs=read.runs, catalogue=catalogue)
    refused = pl.concat([read.rejects, judged.rejects])
    assert refused.is_empty(), refused.to_dicts()
    return catalogue, read.runs, judged.verdicts


def _written(path: Path, records: Iterable[dict]) -> Path:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path
