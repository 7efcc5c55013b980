"""Parts of a report that say who stands where: leaderboard, dimensions, comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES
from grade.report.deltas import points
from grade.report.html.charts import Mark, axis_start, interval_chart
from grade.report.html.data import MEASURE_TITLES, MEASURES, ReportData
from grade.report.html.markup import Child, Html, tag
from grade.report.html.tables import (
    Cell,
    Heading,
    count,
    data_table,
    interval,
    named,
    note,
    scored,
    shared,
    words,
)
from grade.report.markdown import NOT_MEASURED, score

_SHOWN_PAIRS: Final = 60
_ALPHA: Final = 0.05

HEADINGS: Final = (
    Heading("Rank", note="1 + the number of models whose interval lies wholly above"),
    Heading("Model", is_number=False),
    Heading("Composite", note="weighted mean of the measured dimensions, with its 95 % interval"),
    Heading("Ranks", note="95 % range of the rank when tasks are resampled"),
    *(Heading(TITLES[key]) for key in DIMENSIONS),
    Heading("Tasks answered", note="share of the catalogue's tasks with at least one run"),
    Heading("Claims judged", note="share of claim checks that a match or a verdict settled"),
    Heading("Weight scored", note="sum of the weights of the dimensions that were measured"),
    Heading("Runs"),
    Heading("Cost, USD", note="total of the runs that report a cost; 0 is free, – is not reported"),
    Heading("Latency, ms", note="mean of the runs that report one"),
)


_PAIR_HEADINGS: Final = (
    Heading("Model", is_number=False),
    Heading("Compared with", is_number=False),
    Heading("Difference", note="of the composites, in percentage points, over shared tasks"),
    Heading("p", note="paired permutation test over tasks"),
    Heading("p, Holm", note="after Holm's correction for all pairs"),
    Heading("Smallest seen", note="smallest true difference that is seen four times in five, in points"),
    Heading("Tasks"),
)


def leaderboard(frame: pl.DataFrame) -> Child:
    """Return the leaderboard: a table for each group of models that compare, with the reason.

    Args:
        frame: The view `leaderboard`.
    """
    return list(_sections(frame))


def _sections(frame: pl.DataFrame) -> Iterator[Html]:
    for place, part in enumerate(frame.partition_by("section", maintain_order=True)):
        why = part["section_note"][0]
        title = "Ranking" if place == 0 else f"Not comparable with the above: {why}"
        yield tag("h3", title)
        if place == 0 and why:
            yield note("Read with care: ", why, ".", kind="warning")
        yield data_table(HEADINGS, map(_row, part.rows(named=True)), label=title)


def _row(row: dict[str, Any]) -> list[Cell]:
    low, high = row["rank_low"], row["rank_high"]
    ranks = NOT_MEASURED if low is None else f"{low}" if low == high else f"{low} to {high}"
    return [
        count(row["rank"]),
        named(row["model_id"]),
        scored(row["composite"], after=interval(row["low"], row["high"])),
        Cell(ranks, low),
        *(scored(row[key]) for key in DIMENSIONS),
        shared(row["task_coverage"]),
        shared(row["claims_judged"]),
        shared(row["weight_scored"]),
        count(row["n_runs"]),
        cost(row),
        Cell(
            NOT_MEASURED if row["mean_latency_ms"] is None else f"{row['mean_latency_ms']:,.0f}",
            row["mean_latency_ms"],
        ),
    ]


def cost(row: dict[str, Any]) -> Cell:
    """Return the cost of a model's runs: 0 is a cost, and a partial sum says so."""
    if not row["n_costs"]:
        return Cell(NOT_MEASURED)
    partly = row["n_costs"] < row["n_runs"]
    after = tag("small", f"{row['n_costs']:,} of {row['n_runs']:,} runs") if partly else None
    return Cell([f"{row['cost_usd']:,.4f}", after], row["cost_usd"])


def dimensions(data: ReportData) -> Child:
    """Return a chart for the composite and for each dimension, models in leaderboard order."""
    overall = data.intervals.filter(pl.col("level") == "overall")
    rows = {(row["measure"], row["model_id"]): row for row in overall.rows(named=True)}
    shown = overall.select(pl.min_horizontal("estimate", "low")).to_series().drop_nulls()
    start = axis_start(shown.to_list())
    panels = [
        interval_chart(
            MEASURE_TITLES[measure],
            [_mark(model, rows.get((measure, model))) for model in data.models],
            start=start,
        )
        for measure in MEASURES
    ]
    return [
        note(
            "The dot is the mean over tasks, the bar its 95 % interval when tasks are resampled;"
            " all scales are the same."
        ),
        tag("div", panels, class_="panels"),
    ]


def _mark(model: str, row: dict[str, Any] | None) -> Mark:
    if row is None:
        return Mark(model, None, None, None)
    return Mark(model, row["estimate"], row["low"], row["high"])


def comparisons(data: ReportData) -> Child:
    """Return the pairs of models that compare, with difference, interval, p and what could be seen."""
    composite = data.comparisons.filter(pl.col("measure") == "composite")
    pairs = composite.filter("is_comparable").sort(
        pl.col("difference").abs(), descending=True, nulls_last=True
    )
    if pairs.is_empty():
        return note("No two models were measured alike, so none are compared.")
    left = pairs.height - _SHOWN_PAIRS
    shown = pairs.head(_SHOWN_PAIRS).rows(named=True)
    return [
        note(_differing(pairs)),
        data_table(_PAIR_HEADINGS, map(_pair, shown), label="Pairs of models"),
        note(f"{left:,} closer pairs are in the table comparisons.") if left > 0 else None,
    ]


def _differing(pairs: pl.DataFrame) -> str:
    n_seen = pairs.filter(pl.col("p_holm") < _ALPHA).height
    told = (
        f"{n_seen} of {pairs.height} pairs differ beyond chance (p below {_ALPHA} after Holm's correction)."
    )
    smallest = pairs["smallest_difference"].median()
    if not isinstance(smallest, float):
        return told
    return f"{told} With these tasks, a difference of about {smallest:.3f} is seen four times in five."


def _pair(row: dict[str, Any]) -> list[Cell]:
    low, high = row["low"], row["high"]
    between = None if low is None else tag("small", f" {100 * low:+.1f} to {100 * high:+.1f}")
    return [
        named(row["model_id"]),
        words(row["other_model_id"]),
        Cell([points(row["difference"]), between], row["difference"]),
        Cell(p_value(row["p_value"]), row["p_value"]),
        Cell(p_value(row["p_holm"]), row["p_holm"]),
        Cell(points(row["smallest_difference"]).lstrip("+"), row["smallest_difference"]),
        count(row["n_measured"]),
    ]


def p_value(value: float | None) -> str:
    """Return a p value with three places; very small ones as a bound."""
    return "< 0.001" if value is not None and value < 0.001 else score(value)  # noqa: PLR2004
