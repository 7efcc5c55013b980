"""How far a mean over tasks may lie from what other tasks like these would have given.

Tasks are the clusters: the runs of one task share its question and its gold, so they are no
independent evidence. A resample draws whole tasks, with replacement, as many as there are, and an
interval is what lies between two percentiles of the resampled means (the percentile bootstrap).

Every mean is exact: scores become whole numbers of a step below 1e-10 first, whose sums no order
and no number of threads can change, so equal input gives equal bits on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Numbers = TypeVar("Numbers", Floats, npt.NDArray[np.int32])

SEED: Final = 42
"""Seed of every resampling and permutation."""

N_RESAMPLES: Final = 2_000
"""Resamples of a bootstrap."""

LEVEL: Final = 0.95
"""Share of the resampled means that an interval holds."""

NOT_MEASURED: Final = "not_measured"
ONE_TASK: Final = "one_task"
ALL_EQUAL: Final = "all_equal"
REASONS: Final = (NOT_MEASURED, ONE_TASK, ALL_EQUAL)
"""Why there is no interval: no value at all, one task only, the same value on every task."""

_BLOCK_CELLS: Final = 2_000_000
_COLUMNS_AT_A_TIME: Final = 64
_MANTISSA_BITS: Final = 52


@dataclass(frozen=True, slots=True)
class MeanIntervals:
    """Means of columns with their intervals; one entry per column.

    Attributes:
        estimate: The mean of the values that are there; NaN without any.
        low: Lower end of the interval; NaN where there is none.
        high: Upper end of the interval; NaN where there is none.
        n: How many values the mean is taken over.
        reason: Why there is no interval, one of `REASONS`; empty where there is one.
    """

    estimate: Floats
    low: Floats
    high: Floats
    n: Ints
    reason: list[str]


def mean_intervals(
    values: Floats, *, seed: int = SEED, n_resamples: int = N_RESAMPLES, level: float = LEVEL
) -> MeanIntervals:
    """Return the mean of each column and its percentile bootstrap interval over the rows.

    A column is resampled over the rows where it has a value. There is no interval, and `reason`
    says so, without values, with one value, or when all values are equal: resampling cannot show
    any doubt there, which is not the same as there being none.

    Args:
        values: One row per task, one column per mean; from -1 to 1, NaN where not measured.
        seed: Seed of the resampling; columns with values in the same rows see the same resamples.
        n_resamples: How many resamples.
        level: Share of the resampled means between the two ends.
    """
    estimate, low, high = (np.full(values.shape[1], np.nan) for _ in range(3))
    tails = [(1 - level) / 2, (1 + level) / 2]
    for rows, columns in by_pattern(~np.isnan(values)):
        for part in _parts(columns):
            present = values[np.ix_(rows, part)]
            estimate[part] = exact_means(present)
            if len(rows) > 1:
                means = resampled_means(present, seed=seed, n_resamples=n_resamples)
                low[part], high[part] = (_quantile(means, tail) for tail in tails)
    reason = reasons(values)
    has_none = np.array([bool(text) for text in reason], dtype=np.bool_)
    low[has_none], high[has_none] = np.nan, np.nan
    return MeanIntervals(estimate, low, high, (~np.isnan(values)).sum(axis=0), reason)


def reasons(values: Floats) -> list[str]:
    """Return for each column why it has no interval, one of `REASONS`; empty where it has one."""
    is_there = ~np.isnan(values)
    n = is_there.sum(axis=0)
    largest = np.where(is_there, values, -np.inf).max(axis=0, initial=-np.inf)
    smallest = np.where(is_there, values, np.inf).min(axis=0, initial=np.inf)
    chosen = np.select([n == 0, n == 1, largest == smallest], REASONS, default="")
    return [str(text) for text in chosen]


def by_pattern(present: Bools) -> Iterator[tuple[Ints, Ints]]:
    """Yield the columns that have values in the same rows together, as (rows, columns).

    Columns without any value are left out.
    """
    if not len(present):
        return
    n_present = present.sum(axis=0)
    whole, part = np.flatnonzero(n_present == len(present)), np.flatnonzero(n_present % len(present))
    if len(whole):
        yield np.arange(len(present)), whole
    if len(part):
        patterns, owner = np.unique(present[:, part], axis=1, return_inverse=True)
        for number in range(patterns.shape[1]):
            yield np.flatnonzero(patterns[:, number]), part[owner.ravel() == number]


def resampled_means(values: Floats, *, seed: int, n_resamples: int) -> Floats:
    """Return the mean of each column in each resample of the rows: columns x resamples.

    Args:
        values: One row per task, from -1 to 1, none missing.
        seed: Seed of the draws; they depend on it and on the number of rows alone.
        n_resamples: Columns of the result.
    """
    whole, step = whole_numbers(values)
    columns = np.ascontiguousarray(whole.T)
    blocks = [columns @ counts for counts in _resamples(len(values), seed, n_resamples)]
    means: Floats = np.concatenate(blocks, axis=1)
    means *= step
    means /= len(values)
    return means


def exact_means(values: Floats) -> Floats:
    """Return the mean of each column, rounded to the step that resamples are rounded to."""
    whole, step = whole_numbers(values)
    means: Floats = whole.sum(axis=0) * step / len(values)
    return means


def whole_numbers(values: Floats) -> tuple[Floats, float]:
    """Return the values as whole numbers of a step, and the step.

    The step is the smallest power of two with which every sum of as many values as there are
    rows is a whole number that a float holds exactly.
    """
    step = 2.0 ** (len(values).bit_length() - _MANTISSA_BITS)
    return np.round(values / step), step


def order_statistics(values: Numbers, rank: int) -> tuple[Numbers, Numbers]:
    """Return the value of a rank, counted from 0, in each row, and the one that follows it.

    Behind the last rank there is none, and its own value stands for it.
    Parting a row at one place takes a fraction of the time of sorting it.
    """
    parted = np.partition(values, rank, axis=1)
    above = parted[:, rank + 1 :]
    return parted[:, rank], above.min(axis=1) if above.shape[1] else parted[:, rank]


def _quantile(values: Floats, tail: float) -> Floats:
    """Return a quantile of each row, between the two nearest values in proportion."""
    place = tail * (values.shape[1] - 1)
    below, above = order_statistics(values, int(place))
    quantile: Floats = below + (above - below) * (place - int(place))
    return quantile


@lru_cache(maxsize=8)
def _resamples(n_rows: int, seed: int, n_resamples: int) -> tuple[Floats, ...]:
    """Return blocks of resamples, rows x resamples: how often each row was drawn; the same for any values."""
    draw = np.random.default_rng(seed)
    rows_at_a_time = max(1, _BLOCK_CELLS // n_rows)
    blocks = []
    for start in range(0, n_resamples, rows_at_a_time):
        size = min(rows_at_a_time, n_resamples - start)
        drawn = draw.integers(0, n_rows, size=(size, n_rows)) + n_rows * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n_rows)
        blocks.append(np.ascontiguousarray(counts.reshape(size, n_rows).T, dtype=np.float64))
    return tuple(blocks)


def _parts(columns: Ints) -> Iterator[Ints]:
    for start in range(0, len(columns), _COLUMNS_AT_A_TIME):
        yield columns[start : start + _COLUMNS_AT_A_TIME]
