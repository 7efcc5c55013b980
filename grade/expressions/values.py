"""Compare stated values with gold, in the three readings of a percentage."""

from __future__ import annotations

from typing import Final

import polars as pl

READINGS: Final = ("as_stated", "divided_by_100", "times_100")
"""The readings of a stated value, in the order in which they are tried."""

_RELATIVE: Final = 1e-9


def is_within(value: pl.Expr, gold: pl.Expr, slack: pl.Expr) -> pl.Expr:
    """Whether |value - gold| <= slack + 1e-9 x max(1, |gold|).

    >>> values, gold, slack = [80.85, 80.8, 1e-9, 1.5e-9], [80.9, 80.9, 0, 0], [0.05, 0.05, 0, 0]
    >>> frame = pl.DataFrame({"v": values, "g": gold, "s": slack})
    >>> frame.select(is_within(pl.col("v"), pl.col("g"), pl.col("s"))).to_series().to_list()
    [True, False, True, False]
    """
    return (value - gold).abs() <= slack + _RELATIVE * pl.max_horizontal(pl.lit(1.0), gold.abs())


def reading(
    value: pl.Expr, gold: pl.Expr, slack: pl.Expr, *, divides: pl.Expr, multiplies: pl.Expr
) -> pl.Expr:
    """Return the name of the first reading of `value` that is within, else null.

    Args:
        value: The stated value.
        gold: The right one.
        slack: How far apart they may lie.
        divides: Where a hundredth of the value may be meant.
        multiplies: Where a hundred times the value may be meant.
    """
    return pl.coalesce(
        pl.when(is_within(value, gold, slack)).then(pl.lit(READINGS[0])),
        pl.when(divides & is_within(value / 100, gold, slack)).then(pl.lit(READINGS[1])),
        pl.when(multiplies & is_within(value * 100, gold, slack)).then(pl.lit(READINGS[2])),
    )


def as_read(value: pl.Expr, method: pl.Expr) -> pl.Expr:
    """Return `value` on gold's scale, by the name of its reading."""
    return (
        pl.when(method == READINGS[1])
        .then(value / 100)
        .when(method == READINGS[2])
        .then(value * 100)
        .otherwise(value)
    )
