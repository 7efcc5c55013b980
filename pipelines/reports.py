"""Write what people and other programs read: result files, scorecards and the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from grade.levels import RollUps
from grade.models import Task
from grade.report.filenames import file_stem
from grade.report.leaderboard import render_leaderboard
from grade.report.notes import Notes
from grade.report.result_json import build_results, render
from grade.report.scorecard import Card, render_scorecard
from pipelines.manifest import grade_version


@dataclass(frozen=True, slots=True)
class Scored:
    """What all reports are made of.

    Attributes:
        task_scores: TASK_SCORES.
        rolled: The levels above.
        ranked: From `grade.rollup.rank_models`.
        usage: From `grade.report.usage.summarise_usage`.
        notes: From `grade.report.notes`.
        tasks: The catalogue.
    """

    task_scores: pl.DataFrame
    rolled: RollUps
    ranked: pl.DataFrame
    usage: pl.DataFrame
    notes: Notes
    tasks: tuple[Task, ...]


def write_reports(scored: Scored, folder: Path) -> None:
    """Write `results/`, `scorecards/` and `leaderboard.md` below a folder."""
    for name in ("results", "scorecards"):
        (folder / name).mkdir()
    results = build_results(scored.task_scores, scored.rolled, scored.usage, grade_version=grade_version())
    for result in results:
        path = folder / "results" / f"{file_stem(result['model_id'])}.json"
        path.write_text(render(result), encoding="utf-8")
    for card in _cards(scored):
        path = folder / "scorecards" / f"{file_stem(card.overall['model_id'])}.md"
        path.write_text(render_scorecard(card), encoding="utf-8")
    (folder / "leaderboard.md").write_text(render_leaderboard(scored.ranked), encoding="utf-8")


def _cards(scored: Scored) -> Iterator[Card]:
    catalogue = {task.task_id: task for task in scored.tasks}
    rolled, notes = scored.rolled, scored.notes
    tracks, packs, tasks, missed, claims = (
        frame.partition_by("model_id", as_dict=True, maintain_order=True)
        for frame in (rolled.track, rolled.pack, scored.task_scores, notes.missed, notes.claims)
    )
    for overall in rolled.overall.rows(named=True):
        key = (overall["model_id"],)
        own = Notes(missed.get(key, notes.missed.clear()), claims.get(key, notes.claims.clear()))
        yield Card(overall, tracks[key], packs[key], tasks[key], own, catalogue)
