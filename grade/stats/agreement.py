"""Agreement of judges, from counts: every measure for a whole stack of resampled tables at once.

Two judges are a k x k table of counts; several judges are a table of how often each pattern of
ratings came. Both are small whatever the number of items, so that resampling items is resampling
counts. A measure that is not defined is NaN here, and null in tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]
Weighting = Literal["none", "linear", "quadratic"]

_CONFIDENCE: Final = 0.95


class Estimate(NamedTuple):
    """A measure with its bootstrap interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


def exact_agreement(tables: Floats) -> Floats:
    """Return the share of items that both judges put in the same category.

    Args:
        tables: Counts, shape (..., k, k): first judge's category by the second one's.

    >>> exact_agreement(np.array([[2.0, 1.0], [0.0, 1.0]])).item()
    0.75
    """
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum((-2, -1)))


def adjacent_agreement(tables: Floats) -> Floats:
    """Return the share of items whose two categories are the same or neighbours."""
    near = np.abs(_differences(tables.shape[-1])) <= 1
    return _ratio((tables * near).sum((-2, -1)), tables.sum((-2, -1)))


def mean_signed_difference(tables: Floats) -> Floats:
    """Return the mean of first minus second, in steps of the scale: above 0 the first is milder."""
    return _ratio((tables * _differences(tables.shape[-1])).sum((-2, -1)), tables.sum((-2, -1)))


def cohen_kappa(tables: Floats, *, weighting: Weighting = "none") -> Floats:
    """Return Cohen's kappa: 1 - observed / expected disagreement.

    Disagreement of categories i and j is 1, |i - j| or (i - j)^2. Not defined when none is
    expected, that is when both judges use one and the same category only.

    >>> cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])).round(6).item()
    0.4
    """
    n_items = tables.sum((-2, -1))
    cost = _KAPPA_COSTS[weighting](_differences(tables.shape[-1]))
    by_chance = tables.sum(-1)[..., :, None] * tables.sum(-2)[..., None, :]
    observed = (tables * cost).sum((-2, -1))
    expected = _ratio((by_chance * cost).sum((-2, -1)), n_items)
    return np.subtract(1.0, _ratio(observed, expected))


def krippendorff_alpha(coincidences: Floats, *, level: Level) -> Floats:
    """Return Krippendorff's alpha: 1 - observed / expected disagreement of all pairable ratings.

    Not defined when all ratings are the same.

    Args:
        coincidences: Coincidence matrices, shape (..., k, k), from `coincidence_matrix`.
        level: Ratings differ or not (nominal), by the ratings between them (ordinal), or by the
            square of their distance (interval).
    """
    margin = coincidences.sum(-1)
    total = margin.sum(-1)
    cost = _ALPHA_COSTS[level](margin)
    observed = (coincidences * cost).sum((-2, -1))
    expected = _ratio((margin[..., :, None] * margin[..., None, :] * cost).sum((-2, -1)), total - 1)
    return np.subtract(1.0, _ratio(observed, expected))


def coincidence_matrix(patterns: Floats, counts: Floats) -> Floats:
    """Return the coincidences of ratings within items.

    An item with m ratings adds 1 / (m - 1) for each ordered pair of them; an item with fewer than
    two adds nothing, which is how missing ratings are borne.

    Args:
        patterns: Shape (p, k): how many judges gave each category, for each distinct pattern.
        counts: Shape (..., p): how many items show each pattern.
    """
    n_ratings = patterns.sum(-1)
    pairs = patterns[:, :, None] * patterns[:, None, :]
    pairs -= patterns[:, :, None] * np.eye(patterns.shape[1])
    share = np.divide(1.0, n_ratings - 1, out=np.zeros_like(n_ratings), where=n_ratings > 1)
    return np.asarray(np.einsum("...p,pij->...ij", counts, pairs * share[:, None, None]))


def pair_tables(patterns: Floats, counts: Floats) -> Floats:
    """Return the table of all unordered pairs of ratings within items, each counted in both orders."""
    pairs = patterns[:, :, None] * patterns[:, None, :]
    pairs -= patterns[:, :, None] * np.eye(patterns.shape[1])
    return np.asarray(np.einsum("...p,pij->...ij", counts, pairs))


def estimate(counts: Floats, measure: Callable[[Floats], Floats], *, n_draws: int, seed: int) -> Estimate:
    """Return a measure and its percentile interval over items drawn with replacement.

    Args:
        counts: Shape (c,): how many items are of each kind.
        measure: Takes counts of shape (..., c) and returns shape (...).
        n_draws: How many times the items are drawn.
        seed: Seed of the draws; the same seed and counts give the same interval.

    The interval is not defined where the measure is not, or where fewer than half of the draws
    define it.
    """
    value = float(measure(counts))
    n_items = round(counts.sum())
    if np.isnan(value) or n_items == 0:
        return Estimate(value, np.nan, np.nan)
    drawn = np.random.default_rng(seed).multinomial(n_items, counts / n_items, size=n_draws)
    values = measure(drawn.astype(np.float64))
    values = values[~np.isnan(values)]
    if 2 * len(values) < n_draws:
        return Estimate(value, np.nan, np.nan)
    low, high = np.quantile(values, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return Estimate(value, float(low), float(high))


def _differences(size: int) -> Floats:
    places = np.arange(size, dtype=np.float64)
    return places[:, None] - places[None, :]


def _ordinal_cost(margin: Floats) -> Floats:
    """Square of the ratings from one category to the other, the ends counted half."""
    upto = np.cumsum(margin, -1) - margin / 2
    return np.asarray((upto[..., :, None] - upto[..., None, :]) ** 2)


def _ratio(part: Floats, whole: Floats) -> Floats:
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    undefined = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=whole > 0))


_KAPPA_COSTS: Final[dict[str, Callable[[Floats], Floats]]] = {
    "none": lambda gap: (gap != 0).astype(np.float64),
    "linear": np.abs,
    "quadratic": np.square,
}
_ALPHA_COSTS: Final[dict[str, Callable[[Floats], Floats]]] = {
    "nominal": lambda margin: 1 - np.eye(margin.shape[-1]),
    "ordinal": _ordinal_cost,
    "interval": lambda margin: _differences(margin.shape[-1]) ** 2,
}
