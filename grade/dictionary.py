"""The data dictionary: what each table and column of a result says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from grade.table import Table

DICTIONARY: Final = {
    "table": pl.String,
    "row": pl.String,
    "column": pl.String,
    "type": pl.String,
    "unit": pl.String,
    "is_key": pl.Boolean,
    "may_be_null": pl.Boolean,
    "values": pl.String,
    "note": pl.String,
}
"""Columns of the dictionary: one row per column of a table, in the tables' order."""

_TYPES: Final[dict[type[pl.DataType], str]] = {
    pl.String: "text",
    pl.Int64: "whole number",
    pl.UInt32: "whole number",
    pl.UInt8: "whole number",
    pl.Float64: "number",
    pl.Boolean: "true or false",
}


def describe_tables(tables: Iterable[Table]) -> pl.DataFrame:
    """Return the dictionary of the tables, made from their contracts."""
    rows = [_describe(table, name) for table in tables for name in table.columns]
    return pl.DataFrame(rows, schema=DICTIONARY, orient="row")


def type_name(dtype: pl.DataType) -> str:
    """Return how the dictionary calls a type.

    Examples:
        >>> type_name(pl.List(pl.String()))
        'list of text'
    """
    if isinstance(dtype, pl.List):
        return f"list of {type_name(pl.Series(dtype=dtype).explode().dtype)}"
    if isinstance(dtype, pl.Struct):
        return "record (" + ", ".join(field.name for field in dtype.fields) + ")"
    return _TYPES.get(type(dtype), str(dtype))


def _describe(table: Table, name: str) -> tuple[object, ...]:
    column = table.column(name)
    is_key = name in table.key
    dtype = pl.Series(dtype=column.dtype).dtype
    return (
        table.name,
        table.row,
        name,
        type_name(dtype),
        column.unit or None,
        is_key,
        name in table.nullable_key if is_key else name not in table.required,
        ", ".join(column.values) if column.values else None,
        column.note,
    )
