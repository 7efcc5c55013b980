"""The scales of a verdict, as expressions over its columns score, int_score and numeric_score."""

from __future__ import annotations

from typing import Final

import polars as pl

PASS: Final = "pass"
PARTIAL: Final = "partial"
FAIL: Final = "fail"

UNIT_OF_INT: Final[dict[int, float]] = {1: 0.0, 2: 0.25, 3: 0.5, 4: 0.8, 5: 1.0}
"""Unit score of each integer score; 4 is good and must stay a pass."""

UNIT_OF_CATEGORY: Final[dict[str, float]] = {PASS: 1.0, PARTIAL: 0.5, FAIL: 0.0}
"""Unit score of each category."""

CATEGORY_OF_INT: Final[dict[int, str]] = {1: FAIL, 2: FAIL, 3: PARTIAL, 4: PASS, 5: PASS}
"""Category of each integer score."""

_PASS_FROM: Final = 8
_PARTIAL_FROM: Final = 5
_SLACK: Final = 1e-9


def has_score() -> pl.Expr:
    """Tell whether a verdict gives a score in at least one form."""
    return pl.any_horizontal(pl.col("score", "int_score", "numeric_score").is_not_null())


def unit_score() -> pl.Expr:
    """Return a verdict on the unit scale: numeric before integer before category; null without any.

    Examples:
        >>> rows = {"score": ["partial", None], "int_score": [None, 4], "numeric_score": [None, None]}
        >>> types = {"score": pl.String, "int_score": pl.Int64, "numeric_score": pl.Float64}
        >>> pl.DataFrame(rows, schema=types).select(unit_score()).to_series().to_list()
        [0.5, 0.8]
    """
    return pl.coalesce(
        pl.col("numeric_score"),
        pl.col("int_score").replace_strict(UNIT_OF_INT, default=None, return_dtype=pl.Float64),
        pl.col("score").replace_strict(UNIT_OF_CATEGORY, default=None, return_dtype=pl.Float64),
    ).alias("unit_score")


def category_of_unit(unit: pl.Expr) -> pl.Expr:
    """Return the category of a unit score x: pass if 10 x >= 8, partial if 10 x >= 5, else fail; null stays.

    A slack of 1e-9 upward takes up what arithmetic loses.

    Examples:
        >>> pl.select(category_of_unit(pl.Series([0.8, 0.1 + 0.7, 0.5, 0.49, None]))).to_series().to_list()
        ['pass', 'pass', 'partial', 'fail', None]
    """
    tenfold = unit * 10 + _SLACK
    return (
        pl.when(unit.is_null())
        .then(None)
        .when(tenfold >= _PASS_FROM)
        .then(pl.lit(PASS))
        .when(tenfold >= _PARTIAL_FROM)
        .then(pl.lit(PARTIAL))
        .otherwise(pl.lit(FAIL))
    )


def category_of_int(score: pl.Expr) -> pl.Expr:
    """Return the category of an integer score: 4 and 5 pass, 3 is partial, 1 and 2 fail; null stays."""
    return score.replace_strict(CATEGORY_OF_INT, default=None, return_dtype=pl.String)


def forms_disagree() -> pl.Expr:
    """Tell whether a verdict gives its score in several forms that mean different categories."""
    forms = [
        pl.col("score"),
        category_of_int(pl.col("int_score")),
        category_of_unit(pl.col("numeric_score")),
    ]
    pairs = [(one, other) for place, one in enumerate(forms) for other in forms[place + 1 :]]
    return pl.any_horizontal(*((one != other).fill_null(value=False) for one, other in pairs))
