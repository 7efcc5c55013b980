"""Stage intervals: how sure the rolled-up scores are, and which models differ.

Everything is resampled over tasks, see `grade.stats.bootstrap`. Only `task_scores` is read, so a
reader who narrows it down to some tasks gets the intervals of these tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from grade.desk_schemas import COMPARISONS, INTERVALS
from grade.dimensions import DIMENSIONS
from grade.schemas import check
from grade.stats.bootstrap import LEVEL, N_RESAMPLES, SEED, Floats, Ints, mean_intervals
from grade.stats.comparison import holm, paired_differences, rank_ranges

MEASURES: Final = ("composite", *DIMENSIONS)
"""What has an interval, in the order in which reports list it."""

_COMPOSITE: Final = 0

ALL_PAIRS_UP_TO: Final = 24
"""Models up to which every two are compared; beyond that, neighbours in the ranking only."""

NEIGHBOURS: Final = 3
"""How many places apart neighbours may be."""


class Uncertainty(NamedTuple):
    """What resampling tells.

    Attributes:
        intervals: INTERVALS.
        comparisons: COMPARISONS.
    """

    intervals: pl.DataFrame
    comparisons: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Cube:
    """Task scores as an array: tasks x models x measures, NaN where not measured."""

    models: list[str]
    tasks: pl.DataFrame
    values: Floats
    claims: Ints
    is_answered: npt.NDArray[np.bool_]

    def part(self, rows: Ints) -> _Cube:
        return _Cube(
            self.models, self.tasks[rows], self.values[rows], self.claims[rows], self.is_answered[rows]
        )


def estimate_uncertainty(
    task_scores: pl.DataFrame, *, seed: int = SEED, n_resamples: int = N_RESAMPLES, level: float = LEVEL
) -> Uncertainty:
    """Give every rolled-up score its interval, and pairs of models their comparison.

    Every two of up to 24 models are compared; of more, those at most three places apart in
    the order of composites among models measured alike, and where one such group meets the next.

    Args:
        task_scores: TASK_SCORES of all models.
        seed: Seed of resampling and permutation.
        n_resamples: Resamples of the intervals.
        level: Level of the intervals.

    Raises:
        ContractError: A result breaks its schema.
    """
    cube = _read_cube(task_scores)
    scopes = [
        _scope_intervals(part, scope, seed=seed, n_resamples=n_resamples, level=level)
        for scope, part in _scopes(cube)
    ]
    intervals = pl.concat([INTERVALS.empty(), *scopes]).sort(INTERVALS.key)
    comparisons = _compare(cube, seed=seed, n_resamples=n_resamples, level=level)
    return Uncertainty(
        check(intervals, INTERVALS, where="estimate_uncertainty"),
        check(comparisons, COMPARISONS, where="estimate_uncertainty"),
    )


def _read_cube(task_scores: pl.DataFrame) -> _Cube:
    tasks = task_scores.select("task_id", "track", "pack_id").unique("task_id").sort("task_id")
    models = task_scores["model_id"].unique().sort()
    at = (
        task_scores["task_id"].replace_strict(tasks["task_id"], pl.int_range(tasks.height, eager=True))
        if tasks.height
        else pl.Series([], dtype=pl.Int64),
        task_scores["model_id"].replace_strict(models, pl.int_range(len(models), eager=True))
        if len(models)
        else pl.Series([], dtype=pl.Int64),
    )
    place = (at[0].to_numpy(), at[1].to_numpy())
    shape = (tasks.height, len(models))
    values = np.full((*shape, len(MEASURES)), np.nan)
    values[place] = task_scores.select(MEASURES).fill_null(np.nan).to_numpy()
    claims = np.zeros((*shape, 2), dtype=np.int64)
    claims[place] = task_scores.select("n_claims_settled", "n_claims").fill_null(0).to_numpy()
    is_answered = np.zeros(shape, dtype=np.bool_)
    is_answered[place] = True
    return _Cube(models.to_list(), tasks, values, claims, is_answered)


def _scopes(cube: _Cube) -> Iterator[tuple[dict[str, str | int | None], _Cube]]:
    """Yield the cube's part for all tasks, for each track and for each pack."""
    if cube.models:
        yield {"level": "overall", "track": None, "pack_id": None}, cube
    for name, level in (("track", "track"), ("pack_id", "pack")):
        column = cube.tasks[name].to_numpy()
        for key in cube.tasks[name].unique().sort():
            scope = {"level": level, "track": None, "pack_id": None, name: key}
            yield scope, cube.part(np.flatnonzero(column == key))


def _scope_intervals(
    cube: _Cube, scope: dict[str, str | int | None], *, seed: int, n_resamples: int, level: float
) -> pl.DataFrame:
    n_tasks, n_models, n_measures = cube.values.shape
    flat = cube.values.reshape(n_tasks, n_models * n_measures)
    means = mean_intervals(flat, seed=seed, n_resamples=n_resamples, level=level)
    ranks = _rank_columns(cube, seed=seed, n_resamples=n_resamples, level=level)
    frame = pl.DataFrame(
        {
            "model_id": np.repeat(np.array(cube.models, dtype=object), n_measures).tolist(),
            "measure": list(MEASURES) * n_models,
            "estimate": means.estimate,
            "low": means.low,
            "high": means.high,
            "n_measured": means.n,
            **ranks,
            "no_interval": [text or None for text in means.reason],
        }
    )
    is_present = np.repeat(cube.is_answered.any(axis=0), n_measures)
    named = frame.filter(pl.Series(is_present)).with_columns(
        pl.lit(value, dtype=INTERVALS.dtypes[name]).alias(name) for name, value in scope.items()
    )
    return named.with_columns(pl.col(pl.Float64).fill_nan(None)).select(
        pl.col(name).cast(dtype) for name, dtype in INTERVALS.dtypes.items()
    )


def _rank_columns(cube: _Cube, *, seed: int, n_resamples: int, level: float) -> dict[str, list[int | None]]:
    """Rank the composites among models that compare; null for other measures and for one model alone."""
    n_models = len(cube.models)
    low, high, n_ranked = (np.full((n_models, len(MEASURES)), -1, dtype=np.int64) for _ in range(3))
    for members in _comparable(cube):
        composites = cube.values[:, members, _COMPOSITE]
        scored = composites[~np.isnan(composites[:, 0])]
        if len(members) > 1 and len(scored) > 1:
            ranks = rank_ranges(scored, seed=seed, n_resamples=n_resamples, level=level)
            low[members, _COMPOSITE], high[members, _COMPOSITE] = ranks
            n_ranked[members, _COMPOSITE] = len(members)
    named = {"rank_low": low, "rank_high": high, "n_ranked": n_ranked}
    return {
        name: [None if rank < 0 else int(rank) for rank in ranks.ravel()] for name, ranks in named.items()
    }


def _comparable(cube: _Cube) -> Iterator[Ints]:
    """Yield groups of models with the same tasks, the same dimensions and the same share judged."""
    owner = _sections(cube)
    for number in range(int(owner.max(initial=-1)) + 1):
        yield np.flatnonzero(owner == number)


def _sections(cube: _Cube) -> Ints:
    """Number the models by what they were measured on; equal numbers compare."""
    settled, total = cube.claims.sum(axis=0).T
    judged = np.divide(settled, total, out=np.full(len(total), -1.0), where=total > 0)
    is_there = ~np.isnan(cube.values)
    traits = np.concatenate(
        [cube.is_answered, is_there[:, :, _COMPOSITE], is_there.any(axis=0).T, judged[None, :]]
    )
    numbers: Ints = np.unique(traits, axis=1, return_inverse=True)[1].ravel()
    return numbers


def _pairs(cube: _Cube, sections: Ints) -> Ints:
    """Every two models; of many, those that stand near each other in a section."""
    n_models = len(cube.models)
    if n_models <= ALL_PAIRS_UP_TO:
        return np.array(list(combinations(range(n_models), 2)), dtype=np.int64).reshape(-1, 2)
    composites = cube.values[:, :, _COMPOSITE]
    n_scored = (~np.isnan(composites)).sum(axis=0)
    means = np.divide(
        np.nansum(composites, axis=0), n_scored, out=np.full(n_models, -1.0), where=n_scored > 0
    )
    order = np.lexsort((-means, sections))
    near = [np.column_stack([order[:-apart], order[apart:]]) for apart in range(1, NEIGHBOURS + 1)]
    pairs: Ints = np.unique(np.sort(np.concatenate(near), axis=1), axis=0)
    return pairs


def _compare(cube: _Cube, *, seed: int, n_resamples: int, level: float) -> pl.DataFrame:
    """Compare models on each measure over the tasks that both answered.

    Composites are compared on tasks where both are made of the same dimensions.
    """
    sections = _sections(cube)
    pairs = _pairs(cube, sections)
    if not len(pairs):
        return COMPARISONS.empty()
    first, second = pairs.T
    names = np.array(cube.models, dtype=object)
    named = {
        "model_id": names[first].tolist(),
        "other_model_id": names[second].tolist(),
        "is_comparable": sections[first] == sections[second],
    }
    frames = [COMPARISONS.empty()]
    for number, measure in enumerate(MEASURES):
        values = _differences(cube, first, second, number)
        made = paired_differences(values, seed=seed, n_resamples=n_resamples, level=level)
        frame = pl.DataFrame(
            {
                **named,
                "measure": [measure] * len(pairs),
                "n_measured": made.n,
                **{name: getattr(made, name) for name in ("difference", "low", "high", "p_value")},
                "p_holm": holm(made.p_value),
                "smallest_difference": made.smallest,
                "no_interval": [text or None for text in made.reason],
            }
        )
        frames.append(frame.with_columns(pl.col(pl.Float64).fill_nan(None)).select(COMPARISONS.columns))
    return pl.concat(frames).sort(COMPARISONS.key)


def _differences(cube: _Cube, first: Ints, second: Ints, number: int) -> Floats:
    """Tasks x pairs, on one measure; composites only where both are made of the same dimensions."""
    values: Floats = cube.values[:, first, number] - cube.values[:, second, number]
    if number == _COMPOSITE:
        is_there = ~np.isnan(cube.values[:, :, 1:])
        values[(is_there[:, first] != is_there[:, second]).any(axis=2)] = np.nan
    return values
