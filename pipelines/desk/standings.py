"""The leaderboard of one or several result folders, over all tasks or some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import polars as pl

from grade.errors import InputError
from grade.hints import nearest
from grade.intervals import estimate_uncertainty
from grade.levels import dimension_frame
from grade.report.usage import USAGE_COLUMNS
from grade.rollup import roll_up
from grade.sandbox import Sandbox
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.desk.views import find_views
from pipelines.places import Place

ASCENDING: Final = frozenset({"rank", "model_id", "cost_usd", "mean_latency_ms"})
"""Columns whose small values come first; of the others, the large ones do."""

_NEEDED: Final = ("tasks", "runs", "task_scores")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tasks count, and how rows are ordered within a section.

    Attributes:
        tracks: Only tasks of these tracks; all without.
        packs: Only tasks of these packs; all without.
        sort: The column to sort by.
    """

    tracks: tuple[int, ...] = ()
    packs: tuple[str, ...] = ()
    sort: str = "rank"


def read_standings(places: Sequence[Place], choice: Choice) -> pl.DataFrame:
    """Rank the models of result folders.

    Folders scored with the same tasks and settings are ranked together; the others stand in
    sections of their own. A model that several folders hold is named with its folder.

    Args:
        places: The results.
        choice: Which tasks count, and the order.

    Returns:
        The view `leaderboard`, with section and order as the choice has them.

    Raises:
        InputError: A folder cannot be read, or no task or column is of the name that was chosen.
    """
    results = [open_result(place) for place in dict.fromkeys(places)]
    for result in results:
        require_tables(result, _NEEDED)
    labels = _labels(results)
    parts: list[pl.DataFrame] = []
    for number, group in enumerate(_alike(results)):
        made = _rank(group, labels, choice)
        above = sum(part["section"].n_unique() for part in parts)
        parts.append(_apart(made, group, above) if number else made)
    return _ordered(pl.concat(parts), choice.sort)


def _alike(results: Sequence[ResultFolder]) -> Iterator[list[ResultFolder]]:
    """Yield the folders with equal tasks and settings together, in the order of their first."""
    bases = [_basis(result) for result in results]
    order = sorted(range(len(results)), key=lambda place: (bases.index(bases[place]), place))
    for _, places in groupby(order, key=lambda place: bases[place]):
        yield [results[place] for place in places]


def _basis(result: ResultFolder) -> tuple[object, object]:
    packs = result.manifest.get("inputs", {}).get("packs", {}).get("sha256")
    return packs, result.manifest.get("method", {}).get("sha256")


def _labels(results: Sequence[ResultFolder]) -> Mapping[Place, dict[str, str]]:
    """Return for each folder the name of each model that another folder holds, too."""
    models = {result.place: set(result.frame("task_scores", ["model_id"])["model_id"]) for result in results}
    labels = {}
    for place, own in models.items():
        elsewhere = set().union(*(other for another, other in models.items() if another != place))
        labels[place] = {model: f"{model} ({place})" for model in own & elsewhere}
    return labels


def _rank(
    results: Sequence[ResultFolder], labels: Mapping[Place, dict[str, str]], choice: Choice
) -> pl.DataFrame:
    tasks = pl.concat([result.frame("tasks") for result in results]).unique("task_id").sort("task_id")
    chosen = _chosen(tasks, choice)

    def gathered(name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        frames = [
            result.frame(name, columns).with_columns(pl.col("model_id").replace(labels[result.place]))
            for result in results
        ]
        return pl.concat(frames).join(chosen.select("task_id"), on="task_id", how="semi")

    task_scores = gathered("task_scores").sort("model_id", "task_id")
    if task_scores.is_empty():
        raise InputError("no model answered any of the chosen tasks", where=", ".join(map(str, labels)))
    tables = {
        "dimensions": dimension_frame(),
        "task_scores": task_scores,
        "overall_scores": roll_up(task_scores, chosen).overall,
        "intervals": estimate_uncertainty(task_scores).intervals,
        "runs": gathered("runs", USAGE_COLUMNS),
    }
    views = {view.name: view.sql for view in find_views(tables)}
    with Sandbox(tables, views) as sandbox:
        return sandbox.select("FROM leaderboard")


def _chosen(tasks: pl.DataFrame, choice: Choice) -> pl.DataFrame:
    for column, wanted in (("track", choice.tracks), ("pack_id", choice.packs)):
        known = tasks[column].unique().sort().to_list()
        for value in wanted:
            if value not in known:
                raise InputError(
                    f"there is no task of that {column.removesuffix('_id')}",
                    got=str(value),
                    expected="one of " + ", ".join(map(str, known)),
                    hint=nearest(str(value), map(str, known)),
                )
        if wanted:
            tasks = tasks.filter(pl.col(column).is_in(wanted))
    return tasks


def _apart(made: pl.DataFrame, results: Sequence[ResultFolder], above: int) -> pl.DataFrame:
    why = "scored with other tasks or settings: " + ", ".join(str(result.place) for result in results)
    note = (
        pl.when(pl.col("section_note") == "")
        .then(pl.lit(why))
        .otherwise(pl.concat_str(pl.lit(why + "; "), pl.col("section_note")))
    )
    return made.with_columns(pl.col("section") + above, note.alias("section_note"))


def _ordered(standings: pl.DataFrame, by: str) -> pl.DataFrame:
    if by not in standings.columns:
        raise InputError(
            "there is no such column to sort by",
            got=by,
            expected="one of " + ", ".join(standings.columns),
            hint=nearest(by, standings.columns),
        )
    falling = by not in ASCENDING
    order = ["section", by, "composite", "model_id"]
    return standings.sort(order, descending=[False, falling, True, False], nulls_last=True)
