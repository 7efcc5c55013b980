"""The leaderboard with intervals and costs: Markdown, JSON, and a table for the terminal."""

from __future__ import annotations

import json
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
_INTRODUCTION: Final = (
    "Rank is 1 + the number of models whose 95 % interval lies wholly above; intervals come from",
    "resampling tasks. “–” is not measured, or for costs and times not reported; a cost of 0 is free.",
    "Models of different sections were not measured alike and do not compare.",
)


def standings_markdown(standings: pl.DataFrame) -> str:
    """Return the leaderboard as Markdown.

    Args:
        standings: The view `leaderboard`.
    """
    headings = ["Rank", "Model", "Composite", "95 % interval", "Ranks", *(TITLES[key] for key in DIMENSIONS)]
    more = ["Weight scored", "Tasks", "Claims judged", "Runs", "Cost (USD)", "Latency (ms)"]
    lines = ["# Leaderboard", "", *_INTRODUCTION]
    for number, rows in _sections(standings):
        lines += ["", f"## {_heading(number, rows[0], escape)}", ""]
        lines += _care(number, rows[0], escape)
        lines += table([*headings, *more], [_cells(row) for row in rows], n_text=2)
    return "\n".join(lines) + "\n"


def standings_json(standings: pl.DataFrame) -> str:
    """Return the leaderboard as JSON: sections in order, each with its note and its models.

    Args:
        standings: The view `leaderboard`.
    """
    sections = [
        {
            "section": number,
            "note": rows[0]["section_note"],
            "models": [
                {key: value for key, value in row.items() if not key.startswith("section")} for row in rows
            ],
        }
        for number, rows in _sections(standings)
    ]
    return json.dumps({"sections": sections}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def standings_view(standings: pl.DataFrame) -> Group:
    """Return the leaderboard for the terminal.

    Args:
        standings: The view `leaderboard`.
    """
    parts: list[RenderableType] = []
    for number, rows in _sections(standings):
        parts += [Text(_heading(number, rows[0], plain), style="bold"), _terminal_table(rows)]
        parts += [Text(line) for line in _care(number, rows[0], plain)]
    return Group(*parts)


def _terminal_table(rows: list[dict[str, Any]]) -> Table:
    made = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    made.add_column("#", justify="right")
    made.add_column("Model", overflow="fold", min_width=12)
    for name in ("Score", "Interval", *_SHORT, "Judged", "USD", "ms"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        rank, _, composite, interval, _, *scores = _cells(row)
        usd, latency = scores[-2:]
        judged = percent(row["claims_judged"])
        made.add_row(
            rank, Text(plain(row["model_id"])), composite, interval, *scores[:6], judged, usd, latency
        )
    return made


def _sections(standings: pl.DataFrame) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for part in standings.partition_by("section", maintain_order=True):
        yield part["section"][0], part.rows(named=True)


def _heading(number: int, row: dict[str, Any], say: Any) -> str:  # noqa: ANN401
    return "Ranking" if number == 1 else f"Not comparable with the above: {say(row['section_note'])}"


def _care(number: int, row: dict[str, Any], say: Any) -> list[str]:  # noqa: ANN401
    is_partial = number == 1 and row["section_note"]
    return [f"Read with care: {say(row['section_note'])}.", ""] if is_partial else []


def _cells(row: dict[str, Any]) -> list[str]:
    low, high = row["low"], row["high"]
    best, worst = row["rank_low"], row["rank_high"]
    return [
        "" if row["rank"] is None else str(row["rank"]),
        escape(row["model_id"]),
        score(row["composite"]),
        NOT_MEASURED if low is None else f"{low:.3f}–{high:.3f}",
        NOT_MEASURED if best is None else f"{best}" if best == worst else f"{best}–{worst}",
        *(score(row[key]) for key in DIMENSIONS),
        percent(row["weight_scored"]),
        f"{row['n_tasks']} ({percent(row['task_coverage'])})",
        percent(row["claims_judged"]),
        f"{row['n_runs']:,}",
        _cost(row),
        NOT_MEASURED if row["mean_latency_ms"] is None else f"{row['mean_latency_ms']:,.0f}",
    ]


def _cost(row: dict[str, Any]) -> str:
    if not row["n_costs"]:
        return NOT_MEASURED
    partly = f" ({row['n_costs']:,} of {row['n_runs']:,} runs)" if row["n_costs"] < row["n_runs"] else ""
    return f"{row['cost_usd']:,.4f}{partly}"
