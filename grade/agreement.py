"""Stage agreement: how far judges agree, for each pair of them and for all together.

Verdicts are compared as categories (all of them) and as integer scores (those given as such).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from grade.expressions.categories import rank_of_category
from grade.expressions.verdicts import category_of_unit
from grade.schemas import AGREEMENT, RUN_KEY, check
from grade.stats import agreement as stats

Floats = npt.NDArray[np.float64]
Measure = Callable[[Floats], Floats]

ALL: Final = "all_dimensions"
"""The target of figures over all dimensions."""

CLAIMS: Final = "claims"
"""The target of figures over verdicts on claims."""

N_DRAWS: Final = 1_000
"""How many times items are drawn for an interval."""

_SIZES: Final = {"category": 3, "integer": 5}
_ITEM: Final = (*RUN_KEY, "dimension", "claim_id")
_ON: Final = ["target", "scale", *_ITEM]
_PAIRWISE: Final[dict[str, Measure]] = {
    "exact": stats.exact_agreement,
    "adjacent": stats.adjacent_agreement,
    "mean_signed_difference": stats.mean_signed_difference,
    "kappa": stats.cohen_kappa,
    "kappa_linear": partial(stats.cohen_kappa, weighting="linear"),
    "kappa_quadratic": partial(stats.cohen_kappa, weighting="quadratic"),
}
_POOLED: Final[dict[str, Measure]] = {"exact": stats.exact_agreement, "adjacent": stats.adjacent_agreement}
_ALPHAS: Final[dict[str, Measure]] = {
    f"alpha_{level}": partial(stats.krippendorff_alpha, level=level)
    for level in ("nominal", "ordinal", "interval")
}


def measure_agreement(verdicts: pl.DataFrame, *, n_draws: int = N_DRAWS, seed: int = 0) -> pl.DataFrame:
    """Measure the agreement of judges.

    Every pair of judges is compared on the items that both judged, per dimension, over all
    dimensions, and over all claims; all judges together likewise, items with one rating apart.
    `adjacent` is told on the integer scale only, where neighbours are near.

    Args:
        verdicts: VERDICTS.
        n_draws: How many times items are drawn for an interval.
        seed: Seed of the draws.

    Returns:
        AGREEMENT. A value is null, with its reason, where it is not defined: one_category (all
        ratings are the same, so that chance agreement is complete) or three_steps_only.
    """
    ratings = _ratings(verdicts)
    rows = [*_pairs(ratings, n_draws, seed), *_together(ratings, n_draws, seed)]
    table = pl.DataFrame(rows, schema=AGREEMENT.dtypes, orient="row")
    return check(table.sort(AGREEMENT.key, nulls_last=False), AGREEMENT, where="measure_agreement")


def _ratings(verdicts: pl.DataFrame) -> pl.DataFrame:
    """One row per rating on each scale and target: rating is its step from 0."""
    steps = {
        "category": rank_of_category(category_of_unit(pl.col("unit_score"))),
        "integer": pl.col("int_score") - 1,
    }
    own = verdicts.with_columns(target=pl.col("dimension").fill_null(CLAIMS))
    overall = own.filter(pl.col("dimension").is_not_null()).with_columns(target=pl.lit(ALL))
    both = pl.concat([own, overall])
    return pl.concat(
        both.select("target", pl.lit(scale).alias("scale"), *_ITEM, "judge_id", step.alias("rating"))
        for scale, step in steps.items()
    ).drop_nulls("rating")


def _pairs(ratings: pl.DataFrame, n_draws: int, seed: int) -> Iterator[tuple[Any, ...]]:
    other = ratings.rename({"judge_id": "judge_b", "rating": "rating_b"})
    key = ["target", "scale", "judge_a", "judge_b"]
    cells = (
        ratings.rename({"judge_id": "judge_a", "rating": "rating_a"})
        .join(other, on=_ON, nulls_equal=True)
        .filter(pl.col("judge_a") < pl.col("judge_b"))
        .group_by(*key, "rating_a", "rating_b")
        .agg(n=pl.len())
        .sort(*key, "rating_a", "rating_b")
    )
    for (target, scale, one, two), part in cells.partition_by(key, as_dict=True, maintain_order=True).items():
        size = _SIZES[str(scale)]
        table = np.zeros((size, size))
        table[part["rating_a"].to_numpy(), part["rating_b"].to_numpy()] = part["n"].to_numpy()
        place = (target, one, two, scale)
        counts = table.ravel()
        measures = {name: partial(_of_table, size=size, measure=each) for name, each in _PAIRWISE.items()}
        measures |= {name: partial(_of_pair, size=size, measure=each) for name, each in _ALPHAS.items()}
        yield from _told(place, counts, measures, n_draws, seed)


def _together(ratings: pl.DataFrame, n_draws: int, seed: int) -> Iterator[tuple[Any, ...]]:
    key = ["target", "scale"]
    steps = [f"n{step}" for step in range(max(_SIZES.values()))]
    patterns = (
        ratings.group_by(_ON)
        .agg((pl.col("rating") == step).sum().alias(name) for step, name in enumerate(steps))
        .filter(pl.sum_horizontal(steps) > 1)
        .group_by(*key, *steps)
        .agg(n=pl.len())
        .sort(*key, *steps)
    )
    for (target, scale), part in patterns.partition_by(key, as_dict=True, maintain_order=True).items():
        shapes = part.select(steps[: _SIZES[str(scale)]]).to_numpy().astype(np.float64)
        measures = {name: partial(_of_all, shapes=shapes, measure=each) for name, each in _POOLED.items()}
        measures |= {
            name: partial(_of_coincidences, shapes=shapes, measure=each) for name, each in _ALPHAS.items()
        }
        yield from _told(
            (target, None, None, scale), part["n"].to_numpy().astype(np.float64), measures, n_draws, seed
        )


def _told(
    place: tuple[Any, ...], counts: Floats, measures: Mapping[str, Measure], n_draws: int, seed: int
) -> Iterator[tuple[Any, ...]]:
    """The rows of one pair, or of all judges, on one target and scale."""
    n_items = round(counts.sum())
    for name, measure in measures.items():
        if name == "adjacent" and place[-1] == "category":
            yield (*place, name, None, None, None, n_items, "three_steps_only")
            continue
        # Each figure has draws of its own, whatever else is measured beside it.
        own_seed = zlib.crc32(repr((seed, *place, name)).encode())
        found = stats.estimate(counts, measure, n_draws=n_draws, seed=own_seed)
        values = [None if math.isnan(value) else value for value in found]
        yield (*place, name, *values, n_items, "one_category" if values[0] is None else None)


def _of_table(counts: Floats, *, size: int, measure: Measure) -> Floats:
    return measure(counts.reshape(*counts.shape[:-1], size, size))


def _of_pair(counts: Floats, *, size: int, measure: Measure) -> Floats:
    tables = counts.reshape(*counts.shape[:-1], size, size)
    return measure(tables + np.swapaxes(tables, -1, -2))


def _of_all(counts: Floats, *, shapes: Floats, measure: Measure) -> Floats:
    return measure(stats.pair_tables(shapes, counts))


def _of_coincidences(counts: Floats, *, shapes: Floats, measure: Measure) -> Floats:
    return measure(stats.coincidence_matrix(shapes, counts))
