"""Whether two models differ: paired differences over shared tasks, ranks, and what can be seen.

Two models answer the same tasks, so what is compared is the difference on each task. The test
asks how often a difference as large would come about if the models were exchangeable on every
task (signs of the differences flipped at random); Holm's step-down keeps the chance of any false
alarm over several comparisons below the level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from grade.stats.bootstrap import (
    LEVEL,
    N_RESAMPLES,
    SEED,
    Floats,
    Ints,
    by_pattern,
    mean_intervals,
    order_statistics,
    reasons,
    resampled_means,
    whole_numbers,
)

N_PERMUTATIONS: Final = 10_000
"""Sign flips of a test, where there are too many tasks to try all."""

POWER: Final = 0.8
"""Chance with which a difference of the smallest detectable size would be seen."""

EXACT_UP_TO: Final = 13
"""Tasks up to which all sign flips are tried: 8,192 of them."""

_COLUMNS_AT_A_TIME: Final = 16
_RANKS_AT_A_TIME: Final = 65_536


@dataclass(frozen=True, slots=True)
class Differences:
    """Paired comparisons; one entry per column of differences.

    Attributes:
        difference: Mean difference over the shared tasks; NaN without any.
        low: Lower end of its interval; NaN where there is none.
        high: Upper end of its interval; NaN where there is none.
        p_value: Share of sign flips with a difference at least as large; NaN where there is none.
        smallest: The smallest difference that could be seen; NaN where there is none.
        n: Shared tasks.
        reason: Why there is neither interval nor p; empty where there is.
    """

    difference: Floats
    low: Floats
    high: Floats
    p_value: Floats
    smallest: Floats
    n: Ints
    reason: list[str]


def paired_differences(
    values: Floats,
    *,
    seed: int = SEED,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    power: float = POWER,
) -> Differences:
    """Compare pairs of models by their differences on the tasks that both have.

    Args:
        values: One row per task, one column per pair; first minus second, NaN where not shared.
        seed: Seed of resampling and permutation.
        n_resamples: Resamples of the intervals.
        n_permutations: Sign flips beyond 13 tasks; up to 13 all are tried.
        level: Level of the intervals.
        power: Power of the smallest detectable difference.
    """
    means = mean_intervals(values, seed=seed, n_resamples=n_resamples, level=level)
    p_value = np.full(values.shape[1], np.nan)
    for rows, columns in by_pattern(~np.isnan(values)):
        signs = _signs(len(rows), seed, n_permutations)
        for start in range(0, len(columns), _COLUMNS_AT_A_TIME):
            part = columns[start : start + _COLUMNS_AT_A_TIME]
            p_value[part] = _permutation_p(values[np.ix_(rows, part)], signs)
    has_none = np.array([bool(text) for text in means.reason], dtype=np.bool_)
    p_value[has_none] = np.nan
    smallest = smallest_difference(values, level=level, power=power)
    return Differences(means.estimate, means.low, means.high, p_value, smallest, means.n, means.reason)


def smallest_difference(values: Floats, *, level: float = LEVEL, power: float = POWER) -> Floats:
    """Return the smallest mean difference that this many tasks can show, for each column.

    (t(1 - alpha/2) + t(power)) * s / sqrt(n) of the paired t test, with n - 1 degrees of freedom
    and s the standard deviation of the differences; NaN for degenerate columns.

    Args:
        values: As for `paired_differences`.
        level: 1 - alpha.
        power: Chance of seeing a difference of that size.
    """
    from scipy.special import stdtrit  # which loads much faster than scipy.stats

    is_usable = np.array([not text for text in reasons(values)], dtype=np.bool_)
    result = np.full(values.shape[1], np.nan)
    if is_usable.any():
        usable = values[:, is_usable]
        n = (~np.isnan(usable)).sum(axis=0)
        factor = stdtrit(n - 1, (1 + level) / 2) + stdtrit(n - 1, power)
        result[is_usable] = factor * np.nanstd(usable, axis=0, ddof=1) / np.sqrt(n)
    return result


def holm(p_values: Floats) -> Floats:
    """Return Holm's adjusted p values; NaN stays and counts as no comparison.

    Examples:
        >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).round(2).tolist()
        [0.03, 0.06, 0.06, nan]
    """
    adjusted = np.full(p_values.shape, np.nan)
    compared = np.flatnonzero(~np.isnan(p_values))
    order = compared[np.argsort(p_values[compared], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def rank_ranges(
    values: Floats, *, seed: int = SEED, n_resamples: int = N_RESAMPLES, level: float = LEVEL
) -> tuple[Ints, Ints]:
    """Return the lowest and highest rank of each column over resamples of the rows.

    In each resample a column's rank is 1 + the number of columns with a higher mean; the range
    holds `level` of these ranks.

    Args:
        values: One row per task, one column per model; none missing, at least two rows.
        seed: As for `mean_intervals`.
        n_resamples: How many resamples.
        level: Share of the ranks within the range.
    """
    means = resampled_means(values, seed=seed, n_resamples=n_resamples)
    size = max(1, _RANKS_AT_A_TIME // len(means))
    blocks = [_ranks(means[:, start : start + size]) for start in range(0, n_resamples, size)]
    ranks = np.concatenate(blocks, axis=1)
    # The smallest rank that holds the share, as counts go: nothing lies between two ranks.
    places = (max(math.ceil(n_resamples * share) - 1, 0) for share in ((1 - level) / 2, (1 + level) / 2))
    low, high = (order_statistics(ranks, place)[0].astype(np.int64) for place in places)
    return low, high


def _ranks(values: Floats) -> npt.NDArray[np.int32]:
    """Return the rank of each value in its column: 1 + the number of greater ones."""
    falling = np.ascontiguousarray(-values.T)
    order = np.argsort(falling, axis=1)
    ordered = np.take_along_axis(falling, order, axis=1)
    places = np.broadcast_to(np.arange(1, len(values) + 1, dtype=np.int32), falling.shape).copy()
    equal = ordered[:, 1:] == ordered[:, :-1]
    if equal.any():
        places[:, 1:][equal] = 0
        np.maximum.accumulate(places, axis=1, out=places)
    ranks = np.empty(falling.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks.T


def _signs(n_tasks: int, seed: int, n_permutations: int) -> Floats:
    """Return sign flips, one a column: all there are for few tasks, else random ones after no flip."""
    if n_tasks <= EXACT_UP_TO:
        bits = np.arange(2**n_tasks) >> np.arange(n_tasks)[:, None] & 1
        return (1 - 2 * bits).astype(np.float64)
    draw = np.random.default_rng(seed)
    signs = 1.0 - 2.0 * draw.integers(0, 2, size=(n_permutations, n_tasks))
    return np.ascontiguousarray(np.concatenate([np.ones((1, n_tasks)), signs]).T)


def _permutation_p(values: Floats, signs: Floats) -> Floats:
    whole, _ = whole_numbers(values)
    flipped = np.ascontiguousarray(whole.T) @ signs
    np.abs(flipped, out=flipped)
    n_as_large = np.count_nonzero(flipped >= np.abs(whole.sum(axis=0))[:, None], axis=1)
    p_values: Floats = n_as_large / signs.shape[1]
    return p_values
