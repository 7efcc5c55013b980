"""Parts of a report that break scores down: by task, by track, by pack."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES, TRACKS
from grade.report.html.data import ReportData
from grade.report.html.markup import Child, tag
from grade.report.html.tables import Cell, Heading, count, data_table, interval, named, note, scored, shared
from grade.report.markdown import NOT_MEASURED

_LEVEL_HEADINGS: Final = (
    Heading("Model", is_number=False),
    Heading("Composite"),
    *(Heading(TITLES[key]) for key in DIMENSIONS),
    Heading("Tasks answered"),
    Heading("Claims judged"),
    Heading("Runs"),
)


def heat_map(data: ReportData) -> Child:
    """Return a table of tasks by models: the composite of each, darker where it is lower."""
    values = {
        (row[0], row[1]): row[2] for row in data.task_scores.select("task_id", "model_id", "composite").rows()
    }
    headings = [Heading("Task", is_number=False), *(Heading(model) for model in data.models), Heading("Mean")]
    rows = [
        [
            _task(row),
            *(_heat(values.get((row["task_id"], model))) for model in data.models),
            _mean(values, row, data),
        ]
        for row in data.tasks.sort("track", "task_id").rows(named=True)
    ]
    return [
        note("The composite of every model on every task; the stronger the colour, the lower the score."),
        tag("div", data_table(headings, rows, label="Composite by task and model"), class_="heat"),
    ]


def _task(row: dict[str, Any]) -> Cell:
    title = [row["task_id"], tag("small", f"{row['title']} (track {row['track']})")]
    return Cell(title, f"{row['track']} {row['task_id']}", is_heading=True)


def _heat(value: float | None) -> Cell:
    if value is None:
        return Cell(NOT_MEASURED)
    return Cell(f"{value:.2f}", value, style=f"--v:{value:.4f}")


def _mean(values: dict[tuple[str, str], float | None], row: dict[str, Any], data: ReportData) -> Cell:
    found = [values.get((row["task_id"], model)) for model in data.models]
    measured = [value for value in found if value is not None]
    return _heat(sum(measured) / len(measured) if measured else None)


def tracks(data: ReportData) -> Child:
    """Return a table for each track, models that compare first."""
    numbers = data.track_scores["track"].unique().sort().to_list()
    return [
        _level(data, data.track_scores, "track", number, f"Track {number}: {TRACKS[number]}")
        for number in numbers
    ]


def packs(data: ReportData) -> Child:
    """Return a table for each pack, models that compare first."""
    names = data.pack_scores["pack_id"].unique().sort().to_list()
    return [_level(data, data.pack_scores, "pack_id", name, name) for name in names]


def _level(data: ReportData, scores: pl.DataFrame, key: str, value: object, title: str) -> Child:
    chosen = data.intervals.filter(pl.col(key) == value, pl.col("measure") == "composite")
    bounds = {row["model_id"]: (row["low"], row["high"]) for row in chosen.rows(named=True)}
    alike = data.leaderboard.select("model_id", "section")
    order = ["section", "composite", "model_id"]
    rows = (
        scores.filter(pl.col(key) == value)
        .join(alike, on="model_id")
        .sort(order, descending=[False, True, False], nulls_last=True)
    )
    cells = [
        [
            named(row["model_id"]),
            scored(row["composite"], after=interval(*bounds.get(row["model_id"], (None, None)))),
            *(scored(row[name]) for name in DIMENSIONS),
            shared(row["task_coverage"]),
            shared(row["claims_judged"]),
            count(row["n_runs"]),
        ]
        for row in rows.rows(named=True)
    ]
    return [tag("h3", title), data_table(_LEVEL_HEADINGS, cells, label=title)]
