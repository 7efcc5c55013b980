"""The scorecard of one model as one HTML file, with changes against a baseline where one is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES
from grade.report.deltas import MEASURES, Standing, change_in_words, compare_standings, points
from grade.report.html import evidence
from grade.report.html.conduct import gaps
from grade.report.html.data import MEASURE_TITLES, ReportData
from grade.report.html.markup import Child, tag
from grade.report.html.page import Assets, Section, render_page
from grade.report.html.tables import Cell, Heading, count, data_table, interval, named, note, scored, shared
from grade.report.markdown import percent, score

_LEVELS = {"track": "Tracks", "pack": "Packs", "task": "Tasks"}


def of_model(data: ReportData, model: str) -> ReportData:
    """Return the part of a report's data that is about one model."""
    kept: dict[str, Any] = {
        name: frame.filter(pl.col("model_id") == model)
        for name in ReportData.__dataclass_fields__
        if isinstance(frame := getattr(data, name), pl.DataFrame) and "model_id" in frame.columns
    }
    return replace(data, name=model, **kept)


def render_card(data: ReportData, now: Standing, before: Standing | None, assets: Assets) -> str:
    """Return the scorecard.

    Args:
        data: From `of_model`.
        now: The model's scores.
        before: Scores to compare with.
        assets: Style and script.
    """
    changes = compare_standings(now, before or now)
    sections = [Section("overall", "Overall", _overall(data, changes, is_compared=before is not None))]
    if before is not None:
        told = [tag("p", line) for line in change_in_words(now, before)]
        sections.append(Section("change", f"Change against {before.name}", told))
    for level, title in _LEVELS.items():
        body = _level(data, changes.filter(pl.col("level") == level), level, is_compared=before is not None)
        sections.append(Section(level, title, body))
    sections += [
        Section("decisions", "Decision", evidence.decisions(data)),
        Section("findings", "Findings", evidence.findings(data)),
        Section("facts", "Facts missed", evidence.missed_facts(data)),
        Section("forbidden", "Forbidden claims", evidence.forbidden_claims(data)),
        Section("gaps", "Not measured", gaps(data)),
    ]
    return render_page(f"Scorecard: {data.name}", _lead(data), sections, assets)


def _lead(data: ReportData) -> Child:
    row = data.leaderboard.row(0, named=True)
    between = f" (95 % interval {row['low']:.3f} to {row['high']:.3f})" if row["low"] is not None else ""
    told = (
        f"Overall {score(row['composite'])} of 1{between}, from {row['n_runs']:,} runs on"
        f" {row['n_tasks']} tasks, {percent(row['task_coverage'])} of the catalogue;"
        f" {percent(row['claims_judged'])} of the claim checks are judged."
        f" The score rests on {percent(row['weight_scored'])} of the weights."
    )
    partly = row["section_note"]
    return [tag("p", told), note("Read with care: ", partly, ".", kind="warning") if partly else None]


def _overall(data: ReportData, changes: pl.DataFrame, *, is_compared: bool) -> Child:
    row = changes.row(0, named=True)
    bounds = {
        found["measure"]: found
        for found in data.intervals.filter(pl.col("level") == "overall").rows(named=True)
    }
    headings = [Heading("Measure", is_number=False), Heading("Score"), Heading("Tasks")]
    more = [Heading("Before"), Heading("Change", note="in percentage points")] if is_compared else []
    cells = [
        [
            named(MEASURE_TITLES[measure]),
            scored(row[measure], after=_between(bounds.get(measure))),
            count(bounds[measure]["n_measured"] if measure in bounds else None),
            *(_changed(row, measure) if is_compared else []),
        ]
        for measure in MEASURES
    ]
    return data_table([*headings, *more], cells, label="Overall scores")


def _between(row: dict[str, Any] | None) -> Child:
    return interval(row["low"], row["high"]) if row else None


def _changed(row: dict[str, Any], measure: str) -> list[Cell]:
    change = row[f"{measure}_change"]
    return [scored(row[f"{measure}_before"]), Cell(points(change), change)]


def _level(data: ReportData, changes: pl.DataFrame, level: str, *, is_compared: bool) -> Child:
    titles = dict(data.tasks.select("task_id", "title").rows())
    judged = dict(data.task_scores.select("task_id", "claims_judged").rows())
    headings = [
        Heading(_LEVELS[level].removesuffix("s"), is_number=False),
        Heading("Composite"),
        *(Heading(TITLES[key]) for key in DIMENSIONS),
    ]
    more = [Heading("Claims judged")] if level == "task" else []
    rows = []
    for row in changes.rows(named=True):
        after = tag("small", titles[row["name"]]) if level == "task" and row["name"] in titles else None
        cells = [Cell([row["name"], after], row["name"], is_heading=True)]
        cells += [_score(row, measure, is_compared=is_compared) for measure in MEASURES]
        rows.append([*cells, shared(judged.get(row["name"]))] if more else cells)
    told = note("In small print: the change in percentage points.") if is_compared else None
    return [told, data_table([*headings, *more], rows, label=_LEVELS[level])]


def _score(row: dict[str, Any], measure: str, *, is_compared: bool) -> Cell:
    after = tag("small", " " + points(row[f"{measure}_change"])) if is_compared else None
    return scored(row[measure], after=after)
