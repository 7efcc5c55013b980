"""Means and spreads of runs of equal rows in sorted arrays.

Sums go through each segment in its given order, so that equal input gives equal bits whatever
the number of threads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64] | npt.NDArray[np.int32]


def segment_means(values: Floats, starts: Ints) -> Floats:
    """Return the mean of each segment.

    Args:
        values: All values, segment after segment.
        starts: Where each segment starts, ascending from 0; no segment is empty.

    >>> segment_means(np.array([1.0, 3.0, 5.0]), np.array([0, 2])).tolist()
    [2.0, 5.0]
    """
    if not len(starts):
        return np.empty(0)
    return np.add.reduceat(values, starts) / np.diff(starts, append=len(values))


def inverse_variation(values: Floats, starts: Ints) -> Floats:
    """Return 1 / (1 + CV) of each segment, CV being sample standard deviation over |mean|.

    Equal values give 1, also at mean 0; other values at mean 0, or with a CV that is no finite
    number, give 0. A segment has at least two values. CV does not depend on scale, so values
    are divided by the largest of their segment first and sums cannot overflow.

    >>> values = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 1.0, -1.0])
    >>> inverse_variation(values, np.array([0, 3, 5])).round(4).tolist()
    [0.6667, 1.0, 0.0]
    """
    if not len(starts):
        return np.empty(0)
    sizes = np.diff(starts, append=len(values))
    owner = np.repeat(np.arange(len(starts)), sizes)
    is_equal = np.maximum.reduceat(values, starts) == np.minimum.reduceat(values, starts)
    largest = np.maximum.reduceat(np.abs(values), starts)
    scaled = values / np.where(largest == 0, 1.0, largest)[owner]
    mean = segment_means(scaled, starts)
    spread = np.sqrt(np.add.reduceat((scaled - mean[owner]) ** 2, starts) / np.maximum(sizes - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse = 1.0 / (1.0 + spread / np.abs(mean))
    return np.where(is_equal, 1.0, np.nan_to_num(inverse, nan=0.0))
