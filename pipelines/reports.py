"""Write what people and other programs read: result files, scorecards and the leaderboard.

A range of models is told at a time, from the tables of the folder, so that memory does not grow
with the number of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from grade.db import Database
from grade.levels import RollUps
from grade.models import Task
from grade.report.decisions import (
    decision_extension,
    decision_section,
    findings_section,
    note_findings,
    with_sections,
)
from grade.report.filenames import file_stem
from grade.report.leaderboard import render_leaderboard
from grade.report.notes import collect_notes
from grade.report.result_json import build_results, render
from grade.report.rows import rows_by_model
from grade.report.scorecard import Card, render_scorecard
from grade.report.usage import USAGE_COLUMNS, summarise_usage
from pipelines.manifest import grade_version
from pipelines.table_files import scan_table

MODELS_AT_A_TIME: Final = 64
"""Models whose rows are held at once."""

_NOTED: Final = ("fact_checks", "claim_checks")


@dataclass(frozen=True, slots=True)
class Scored:
    """What all reports are made of, beside the tables that are in the folder already.

    Attributes:
        task_scores: TASK_SCORES.
        rolled: The levels above.
        decisions: DECISIONS.
        judging: JUDGE_USAGE.
        tasks: The catalogue.
    """

    task_scores: pl.DataFrame
    rolled: RollUps
    decisions: pl.DataFrame
    judging: pl.DataFrame
    tasks: tuple[Task, ...]


def write_reports(scored: Scored, folder: Path, *, database: Database) -> None:
    """Write `results/` and `scorecards/` below a folder.

    Args:
        scored: What was scored.
        folder: A folder with the tables of runs, fact checks, claim checks and findings.
        database: An open database.
    """
    for name in ("results", "scorecards"):
        (folder / name).mkdir()
    catalogue = {task.task_id: task for task in scored.tasks}
    models = scored.rolled.overall["model_id"]
    for start in range(0, len(models), MODELS_AT_A_TIME):
        part = _of_models(scored, models[start : start + MODELS_AT_A_TIME])
        _write_results(part, folder, database)
        _write_scorecards(part, folder, catalogue)


def write_leaderboard(ranked: pl.DataFrame, folder: Path) -> None:
    """Write `leaderboard.md`.

    Args:
        ranked: From `grade.rollup.rank_models`.
        folder: The result folder.
    """
    (folder / "leaderboard.md").write_text(render_leaderboard(ranked), encoding="utf-8")


def _of_models(scored: Scored, models: pl.Series) -> Scored:
    """The rows of some models."""
    mine = pl.col("model_id").is_in(models.implode())
    rolled = scored.rolled
    return Scored(
        scored.task_scores.filter(mine),
        RollUps(rolled.track.filter(mine), rolled.pack.filter(mine), rolled.overall.filter(mine)),
        scored.decisions.filter(mine),
        scored.judging.filter(mine),
        scored.tasks,
    )


def _write_results(scored: Scored, folder: Path, database: Database) -> None:
    runs = _read(folder, "runs", scored, USAGE_COLUMNS).collect()
    usage = summarise_usage(runs, database=database)
    decisions = rows_by_model(scored.decisions)
    for result in build_results(scored.task_scores, scored.rolled, usage, grade_version=grade_version()):
        result["extensions"]["decision"] = decision_extension(decisions[result["model_id"]])
        path = folder / "results" / f"{file_stem(result['model_id'])}.json"
        path.write_text(render(result), encoding="utf-8")


def _write_scorecards(scored: Scored, folder: Path, catalogue: Mapping[str, Task]) -> None:
    noted = note_findings(_read(folder, "findings", scored))
    decisions, findings = rows_by_model(scored.decisions), rows_by_model(noted)
    for card in _cards(scored, folder, catalogue):
        model_id = card.overall["model_id"]
        decision = decision_section(decisions[model_id])
        found = findings_section(findings[model_id])
        path = folder / "scorecards" / f"{file_stem(model_id)}.md"
        path.write_text(with_sections(render_scorecard(card), decision, found), encoding="utf-8")


def _cards(scored: Scored, folder: Path, catalogue: Mapping[str, Task]) -> Iterator[Card]:
    notes = collect_notes(*(_read(folder, name, scored).collect() for name in _NOTED))
    rolled = scored.rolled
    frames = (rolled.track, rolled.pack, scored.task_scores, notes.missed, notes.claims, scored.judging)
    tracks, packs, tasks, missed, claims, judging = map(rows_by_model, frames)
    for overall in rolled.overall.rows(named=True):
        own = overall["model_id"]
        told = (missed[own], claims[own], judging[own])
        yield Card(overall, tracks[own], packs[own], tasks[own], *told, catalogue)


def _read(folder: Path, table: str, scored: Scored, columns: Sequence[str] | None = None) -> pl.LazyFrame:
    """A table's rows of the models at hand, which stand next to each other."""
    models = scored.rolled.overall["model_id"]
    scan = scan_table(folder / f"{table}.parquet")
    near = scan.filter(pl.col("model_id").is_between(pl.lit(models.min()), pl.lit(models.max())))
    return near.select(columns) if columns else near
