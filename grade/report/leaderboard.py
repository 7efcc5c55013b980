"""The leaderboard for reading: Markdown for a file, a table for the terminal.

Only models of one section compare with each other; each section says what was not measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grade.dimensions import DIMENSIONS, TITLES
from grade.report.markdown import NOT_MEASURED, escape, percent, plain, score, table

_SHORT: Final = ("Grnd", "Insi", "Evid", "Calib", "Cons", "Struct")
_LEGEND: Final = (
    "Grnd grounding, Insi insight, Evid evidence, Calib calibration, Cons consistency, Struct structure,"
    " Judged share of claim checks that are judged; – is not measured.\n"
    "# is 1 + the number of models whose 95 % interval lies wholly above."
)
_INTRODUCTION: Final = (
    "The composite is the weighted mean of the dimensions that were measured, averaged over tasks;",
    "“–” means not measured. Claims judged is the share of claim checks that a match or a verdict",
    "settled; the others count as not made. Rank is 1 + the number of models whose 95 % interval",
    "(resampled over tasks) lies wholly above. Ranks hold within a section only: models of different",
    "sections were not measured alike and do not compare.",
)


def render_leaderboard(ranked: pl.DataFrame) -> str:
    """Return the leaderboard as Markdown.

    Args:
        ranked: From `grade.rollup.rank_models`.
    """
    lines = ["# Leaderboard", "", *_INTRODUCTION]
    for number, rows in _sections(ranked):
        headings = ["Rank", "Model", "Composite", *(TITLES[key] for key in DIMENSIONS), "95 % interval"]
        body = [[*_leading(row, escape(row["model_id"])), _interval(row), *_trailing(row)] for row in rows]
        lines += ["", f"## {_heading(number, rows[0])}", ""]
        if number == 1 and rows[0]["section_note"]:
            lines += [f"Read with care: {rows[0]['section_note']}.", ""]
        lines += table([*headings, "Weight scored", "Tasks", "Claims judged", "Runs"], body, n_text=2)
    return "\n".join(lines) + "\n"


def leaderboard_view(ranked: pl.DataFrame) -> Group:
    """Return the leaderboard for a terminal of 80 columns or more.

    Args:
        ranked: From `grade.rollup.rank_models`.
    """
    parts: list[RenderableType] = []
    for number, rows in _sections(ranked):
        parts += [Text(_heading(number, rows[0]), style="bold"), _terminal_table(rows)]
        if number == 1 and rows[0]["section_note"]:
            parts += [Text(f"Read with care: {rows[0]['section_note']}."), Text()]
    return Group(*parts, Text(_LEGEND))


def _terminal_table(rows: list[dict[str, Any]]) -> Table:
    made = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    made.add_column("#", justify="right")
    made.add_column("Model", overflow="fold", min_width=12)
    for name in ("Score", *_SHORT, "Judged"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        rank, _, composite, *_ = _leading(row, "")
        scores = (score(row[key]) for key in DIMENSIONS)
        made.add_row(rank, Text(plain(row["model_id"])), composite, *scores, percent(row["claims_judged"]))
    return made


def _sections(ranked: pl.DataFrame) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for part in ranked.partition_by("section", maintain_order=True):
        yield part["section"][0], part.rows(named=True)


def _heading(number: int, row: dict[str, Any]) -> str:
    return "Ranking" if number == 1 else f"Not comparable with the above: {row['section_note']}"


def _leading(row: dict[str, Any], model: str) -> list[str]:
    rank = "" if row["rank"] is None else str(row["rank"])
    return [rank, model, score(row["composite"]), *(_dimension(row, key) for key in DIMENSIONS)]


def _dimension(row: dict[str, Any], key: str) -> str:
    n_scored = row[f"n_scored_{key}"]
    partly = f" ({n_scored} of {row['n_tasks']} tasks)" if 0 < n_scored < row["n_tasks"] else ""
    return score(row[key]) + partly


def _interval(row: dict[str, Any]) -> str:
    low, high = row["low"], row["high"]
    return NOT_MEASURED if low is None else f"{low:.3f}–{high:.3f}"


def _trailing(row: dict[str, Any]) -> list[str]:
    tasks = f"{row['n_tasks']} ({percent(row['task_coverage'])})"
    return [percent(row["weight_scored"]), tasks, percent(row["claims_judged"]), f"{row['n_runs']:,}"]
