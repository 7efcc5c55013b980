"""Words of metric keys."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.text.cleaning import clean

_FINAL_DIGITS: Final = r"(\p{L})_([0-9]{3,})([^\p{L}\p{N}]|$)"


def key_text(key: pl.Expr) -> pl.Expr:
    """Write a metric's key as text: `sch_002` is `sch-002`, every other "_" and "." a space.

    >>> pl.select(key_text(pl.lit("totals.sch_002_students"))).item()
    'totals sch-002 students'
    """
    joined = clean(key).str.replace_all(_FINAL_DIGITS, "${1}-${2}${3}")
    return joined.str.replace_all("[_.]", " ")
