"""Categories and integer scores of unit scores, as expressions."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.expressions.verdicts import FAIL, PARTIAL, PASS

CATEGORIES: Final = (FAIL, PARTIAL, PASS)
"""The categories, from worst to best."""

INT_NAMES: Final[dict[int, str]] = {
    1: "Unacceptable",
    2: "Major Revisions",
    3: "Acceptable",
    4: "Good",
    5: "Excellent",
}
"""Name of each integer score."""

INT_FROM: Final[dict[int, float]] = {5: 0.9, 4: 0.8, 3: 0.5, 2: 0.25}
"""Smallest unit score of each integer score; what is below them all is 1."""

_SLACK: Final = 1e-9


def int_of_unit(unit: pl.Expr) -> pl.Expr:
    """Return the integer score of a unit score; its bands agree with the categories. Null stays.

    Examples:
        >>> units = pl.Series([0.9, 0.8, 0.5, 0.25, 0.2, None])
        >>> pl.select(int_of_unit(units)).to_series().to_list()
        [5, 4, 3, 2, 1, None]
    """
    reached = (pl.when(unit * 10 + _SLACK >= bound * 10).then(score) for score, bound in INT_FROM.items())
    return pl.when(unit.is_not_null()).then(pl.coalesce(*reached, pl.lit(1))).cast(pl.Int64)


def rank_of_category(category: pl.Expr) -> pl.Expr:
    """Return 0 for fail, 1 for partial and 2 for pass; null stays."""
    ranks = {name: rank for rank, name in enumerate(CATEGORIES)}
    return category.replace_strict(ranks, default=None, return_dtype=pl.Int64)
