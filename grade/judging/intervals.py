"""Intervals for shares whose checks come in clusters, and the calibration of stated confidence.

The checks of one answer stand or fall together, so a share over n of them tells less than n
independent ones would: n is divided by the design effect (Rao and Scott 1992) before Wilson's
interval (1927) is taken.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

BINS: Final = 10
"""Bins of a reliability table: tenths of the confidence scale."""

SEED: Final = 20_260_101
RESAMPLES: Final = 2_000
_Z: Final = 1.959963984540054
_LEVEL: Final = (2.5, 97.5)


class Interval(NamedTuple):
    """Lower and upper ends of 95 % intervals; NaN where there is nothing to estimate."""

    low: Floats
    high: Floats


def design_effect(parts: Floats, wholes: Floats) -> float:
    """How much wider a share's interval is for its clusters, as a factor on the variance, at least 1.

    Args:
        parts: Hits of each cluster.
        wholes: Checks of each cluster.

    Returns:
        1 for fewer than two clusters, and for shares of 0 and 1, which show no variance.

    Examples:
        >>> design_effect(np.array([4.0, 0.0, 4.0, 0.0]), np.array([4.0, 4.0, 4.0, 4.0]))
        5.333333333333333
    """
    used = wholes > 0
    parts, wholes = parts[used], wholes[used]
    total = wholes.sum()
    if len(wholes) < 2 or total == 0:  # noqa: PLR2004
        return 1.0
    share = parts.sum() / total
    binomial = total * share * (1 - share)
    if binomial == 0:
        return 1.0
    clustered = ((parts - share * wholes) ** 2).sum() * len(wholes) / (len(wholes) - 1)
    return float(max(1.0, clustered / binomial))


def wilson(share: Floats, size: Floats) -> Interval:
    """Return Wilson's 95 % interval of shares over (effective) sizes; NaN where the size is 0.

    Examples:
        >>> low, high = wilson(np.array([1.0]), np.array([10.0]))
        >>> float(low[0].round(3)), float(high[0])
        (0.722, 1.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = _Z * np.sqrt(share * (1 - share) / size + _Z**2 / (4 * size**2))
        scale = 1 + _Z**2 / size
        middle = share + _Z**2 / (2 * size)
        low, high = (middle - spread) / scale, (middle + spread) / scale
    return Interval(np.clip(low, 0.0, share), np.clip(high, share, 1.0))


def bin_of(confidence: Floats) -> npt.NDArray[np.int64]:
    """Return the bin of each confidence; 1.0 belongs to the last bin.

    Examples:
        >>> bin_of(np.array([0.0, 0.3, 0.95, 1.0])).tolist()
        [0, 3, 9, 9]
    """
    # 0.3 * 10 and its like must not fall short of their bin by rounding.
    return np.clip(np.floor(confidence * BINS + 1e-9), 0, BINS - 1).astype(np.int64)


def calibration_error(confidence: Floats, correct: Floats) -> float:
    """Expected calibration error (Guo et al. 2017): |accuracy - mean confidence| over bins, by size.

    Returns:
        NaN without checks.
    """
    own = np.zeros((1, 1), dtype=np.int64)
    clusters = np.zeros(len(confidence), dtype=np.int64)
    return float(_errors(_gaps(confidence, correct, clusters)[own])[0]) if len(confidence) else float("nan")


def calibration_interval(
    confidence: Floats, correct: Floats, clusters: npt.NDArray[np.int64]
) -> tuple[float, float]:
    """Return the 95 % percentile interval of the calibration error, resampled over clusters.

    Args:
        confidence: Stated confidence of each check.
        correct: 1 where the verdict is right, else 0.
        clusters: Which answer each check belongs to, numbered from 0 without gaps.

    Returns:
        NaN for fewer than two clusters. The error of a resample is never negative, so the
        interval leans upward where the judge is nearly calibrated.
    """
    table = _gaps(confidence, correct, clusters)
    n_clusters = len(table)
    if n_clusters < 2:  # noqa: PLR2004
        return float("nan"), float("nan")
    draws = np.random.default_rng(SEED).integers(0, n_clusters, (RESAMPLES, n_clusters))
    low, high = np.percentile(_errors_of(draws, table), _LEVEL)
    return float(low), float(high)


def _gaps(confidence: Floats, correct: Floats, clusters: npt.NDArray[np.int64]) -> Floats:
    """For each cluster and bin: the sum of (correct - confidence), and the number of checks."""
    n_clusters = int(clusters.max()) + 1 if len(clusters) else 0
    table = np.zeros((n_clusters, BINS, 2))
    where = (clusters, bin_of(confidence))
    np.add.at(table[..., 0], where, correct - confidence)
    np.add.at(table[..., 1], where, 1.0)
    return table


def _errors_of(draws: npt.NDArray[np.int64], table: Floats) -> Floats:
    """The error of each resample, a block at a time to keep memory small."""
    blocks = np.array_split(draws, max(1, draws.size // 200_000))
    return np.concatenate([_errors(table[block]) for block in blocks])


def _errors(drawn: Floats) -> Floats:
    """Drawn tables (resample, cluster, bin, 2) -> error of each resample."""
    sums = drawn.sum(axis=1)
    errors: Floats = np.abs(sums[..., 0]).sum(axis=-1) / sums[..., 1].sum(axis=-1)
    return errors
