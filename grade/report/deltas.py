"""What changed against a baseline: score by score, in percentage points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from grade.dimensions import DIMENSIONS, TITLES, TRACKS
from grade.report.markdown import NOT_MEASURED, escape, percent, score, table
from grade.stats.bootstrap import ALL_EQUAL
from grade.stats.comparison import Differences, paired_differences

MEASURES: Final = ("composite", *DIMENSIONS)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one model stands in one result; every frame holds this model's rows only.

    Attributes:
        name: How the reader knows it.
        overall: OVERALL_SCORES.
        tracks: TRACK_SCORES.
        packs: PACK_SCORES.
        tasks: TASK_SCORES.
    """

    name: str
    overall: pl.DataFrame
    tracks: pl.DataFrame
    packs: pl.DataFrame
    tasks: pl.DataFrame


def compare_standings(now: Standing, before: Standing) -> pl.DataFrame:
    """Return the scores of both with their differences.

    Returns:
        One row per level (overall, track, pack, task) and name that either has, in that order:
        level, name, then for each measure its value now, `<measure>_before` and `<measure>_change`
        (null when either was not measured).
    """
    pairs = zip(_levels(now), _levels(before), strict=True)
    return pl.concat(_joined(level, own, other) for (level, own), (_, other) in pairs)


def overall_change(now: Standing, before: Standing) -> Differences:
    """Test the change of the composite over the tasks that both answered; see `paired_differences`."""
    shared = now.tasks.join(before.tasks, on="task_id", suffix="_before").sort("task_id")
    change = shared["composite"] - shared["composite_before"]
    return paired_differences(change.fill_null(np.nan).to_numpy().reshape(-1, 1))


def change_in_words(now: Standing, before: Standing) -> list[str]:
    """Return in sentences how the composite changed, whether that is beyond noise, and what may mislead."""
    own, other = (standing.overall.row(0, named=True) for standing in (now, before))
    made = overall_change(now, before)
    n_shared, p = int(made.n[0]), float(made.p_value[0])
    lines = [f"Composite {score(other['composite'])} before, {score(own['composite'])} now."]
    if made.reason[0] == ALL_EQUAL and made.difference[0] == 0:
        lines.append(f"Nothing changed on the {n_shared} shared tasks.")
    elif made.reason[0]:
        told = {
            "not_measured": "no task has a composite in both",
            "one_task": "only one task has a composite in both",
            "all_equal": "every shared task changed by the same amount",
        }[made.reason[0]]
        lines.append(f"Whether the change is more than noise cannot be said: {told}.")
    else:
        low, high = 100 * float(made.low[0]), 100 * float(made.high[0])
        verdict = "more than noise" if p < 0.05 else "within noise"  # noqa: PLR2004
        lines.append(
            f"Over the {n_shared} shared tasks {100 * float(made.difference[0]):+.1f} points"
            f" ({low:+.1f} to {high:+.1f}; {_chance(p)}): {verdict}."
        )
    if own["claims_judged"] != other["claims_judged"]:
        judged = f"{percent(other['claims_judged'])} of the claim checks were judged before"
        lines.append(f"Read with care: {judged}, {percent(own['claims_judged'])} now.")
    if own["weight_scored"] != other["weight_scored"]:
        lines.append("Read with care: the two composites are made of different dimensions.")
    return lines


def render_deltas(now: Standing, before: Standing) -> str:
    """Return the change against the baseline as a section of a Markdown scorecard."""
    changes = compare_standings(now, before)
    lines = [f"## Change against {escape(before.name)}", "", *change_in_words(now, before)]
    lines += ["", "Differences are in percentage points; “–” means not measured in one of the two.", ""]
    headings = ["Level", "Name", "Before", "Now", "Composite", *(TITLES[key] for key in DIMENSIONS)]
    rows = [
        [
            row["level"],
            escape(row["name"]),
            score(row["composite_before"]),
            score(row["composite"]),
            *(points(row[f"{measure}_change"]) for measure in MEASURES),
        ]
        for row in changes.rows(named=True)
    ]
    return "\n".join([*lines, *table(headings, rows, n_text=2)]) + "\n"


def points(difference: float | None) -> str:
    """Return a difference of scores in percentage points, with its sign.

    Examples:
        >>> points(0.0312), points(-0.004), points(-0.0), points(None)
        ('+3.1', '-0.4', '0.0', '–')
    """
    if difference is None:
        return NOT_MEASURED
    shown = f"{100 * difference:+.1f}"
    return "0.0" if shown in {"+0.0", "-0.0"} else shown


def _chance(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"  # noqa: PLR2004


def _levels(standing: Standing) -> Sequence[tuple[str, pl.DataFrame]]:
    track = pl.col("track")
    names = track.replace_strict(list(TRACKS), list(TRACKS.values()), return_dtype=pl.String)
    return (
        ("overall", standing.overall.with_columns(name=pl.lit("all tasks"))),
        ("track", standing.tracks.with_columns(name=pl.concat_str(track, names, separator=" "))),
        ("pack", standing.packs.with_columns(name=pl.col("pack_id"))),
        ("task", standing.tasks.with_columns(name=pl.col("task_id"))),
    )


def _joined(level: str, own: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    joined = own.select("name", *MEASURES).join(
        other.select("name", *MEASURES), on="name", how="full", coalesce=True, suffix="_before"
    )
    changes = [(pl.col(key) - pl.col(f"{key}_before")).alias(f"{key}_change") for key in MEASURES]
    made = joined.with_columns(*changes, pl.lit(level).alias("level")).sort("name")
    columns = [name for key in MEASURES for name in (key, f"{key}_before", f"{key}_change")]
    return made.select("level", "name", *columns)
