"""Compare two versions of a table, row by row, under the table's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import polars as pl

from grade.expressions.cells import as_json

_COPY: Final = "copy_no"
_OTHER: Final = "_derived"
_HERE: Final = "is_recorded"
_THERE: Final = "is_derived"


class TableDifference(NamedTuple):
    """How two versions of a table differ.

    Attributes:
        n_rows: Rows that differ, or are in one version only.
        n_total: Rows of both versions together, a row of both counting once.
        columns: Names and types that only one version has, as `name: type`.
        first: The first differing rows: the key columns, `column`, `recorded` and `derived`, one row
            per differing value; `column` is null for a row that is in one version only, and then
            `recorded` or `derived` says `no such row`.
    """

    n_rows: int
    n_total: int
    columns: tuple[str, ...]
    first: pl.DataFrame


def compare_tables(
    recorded: pl.LazyFrame, derived: pl.LazyFrame, *, key: Sequence[str], n_shown: int
) -> TableDifference:
    """Compare two versions of a table; values are equal only when they are so to the last bit.

    Args:
        recorded: The version to look into.
        derived: What it should be.
        key: The columns that name a row; all columns when none are given.
        n_shown: Most differing rows to tell in full.
    """
    here, there = recorded.collect_schema(), derived.collect_schema()
    if here != there:
        both = set(here.items()) & set(there.items())
        odd = [f"{name}: {dtype}" for name, dtype in (*here.items(), *there.items())]
        known = {f"{name}: {dtype}" for name, dtype in both}
        columns = tuple(dict.fromkeys(one for one in odd if one not in known)) or ("another order",)
        return TableDifference(0, 0, columns, _shown(pl.DataFrame(), (), ()))
    names = list(key) or here.names()
    values = [name for name in here.names() if name not in names]
    joined = _numbered(recorded, here, names, _HERE).join(
        _numbered(derived, there, names, _THERE),
        on=[*names, _COPY],
        how="full",
        coalesce=True,
        nulls_equal=True,
        suffix=_OTHER,
    )
    differs = pl.any_horizontal(
        pl.col(_HERE).is_null() | pl.col(_THERE).is_null(),
        *(pl.col(name).ne_missing(pl.col(f"{name}{_OTHER}")) for name in values),
    )
    rows = joined.filter(differs)
    n_rows, n_total = (frame.select(pl.len()).collect().item() for frame in (rows, joined))
    first = rows.sort([*names, _COPY], nulls_last=False).head(n_shown).collect()
    return TableDifference(n_rows, n_total, (), _shown(first, names, values))


def _numbered(table: pl.LazyFrame, schema: pl.Schema, key: Sequence[str], mark: str) -> pl.LazyFrame:
    """The table with nested values as text, and a number for each copy of a key."""
    nested = [name for name, dtype in schema.items() if dtype.is_nested()]
    flat = table.with_columns(as_json(pl.col(name)).alias(name) for name in nested)
    return flat.with_columns(
        pl.int_range(pl.len()).over(list(key)).alias(_COPY), pl.lit(value=True).alias(mark)
    )


def _shown(rows: pl.DataFrame, key: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """One row per differing value."""
    told = [pl.DataFrame(schema=dict.fromkeys(("column", "recorded", "derived"), pl.String))]
    if rows.is_empty():
        return told[0]
    keys = [pl.col(name).cast(pl.String) for name in key]
    absent = pl.lit("no such row")
    one_sided = rows.filter(pl.col(_HERE).is_null() | pl.col(_THERE).is_null()).select(
        *keys,
        pl.lit(None, pl.String).alias("column"),
        pl.when(pl.col(_HERE).is_null()).then(absent).otherwise(pl.lit("a row")).alias("recorded"),
        pl.when(pl.col(_THERE).is_null()).then(absent).otherwise(pl.lit("a row")).alias("derived"),
    )
    both = rows.drop_nulls([_HERE, _THERE])
    told = [
        both.filter(pl.col(name).ne_missing(pl.col(f"{name}{_OTHER}"))).select(
            *keys,
            pl.lit(name).alias("column"),
            pl.col(name).cast(pl.String).alias("recorded"),
            pl.col(f"{name}{_OTHER}").cast(pl.String).alias("derived"),
        )
        for name in values
    ]
    return pl.concat([one_sided, *told]).sort(key, nulls_last=False, maintain_order=True)
