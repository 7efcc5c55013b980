"""What one column holds, and the kinds of columns that come up again and again."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
from polars._typing import PolarsDataType


@dataclass(frozen=True, slots=True)
class Column:
    """What one column holds.

    Attributes:
        dtype: The polars type, the same in every table.
        note: One sentence for the data dictionary.
        unit: The unit of a number, empty where it has none.
        bounds: Smallest and largest value allowed, both included.
        values: The fixed set of values allowed.
    """

    dtype: PolarsDataType
    note: str
    unit: str = ""
    bounds: tuple[float, float] | None = None
    values: tuple[str, ...] | None = None


def score(note: str) -> Column:
    """Return a column of scores, from 0 to 1."""
    return Column(pl.Float64, note, unit="score", bounds=(0.0, 1.0))


def count(note: str) -> Column:
    """Return a column of counts."""
    return Column(pl.Int64, note, unit="count", bounds=(0, 2**62))


def difference(note: str) -> Column:
    """Return a column of differences of two scores."""
    return Column(pl.Float64, note, unit="score", bounds=(-1.0, 1.0))


def text(note: str, *values: str) -> Column:
    """Return a column of texts, from a fixed set where values are given."""
    return Column(pl.String, note, values=values or None)
