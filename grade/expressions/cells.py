"""Cells of a spreadsheet: nested values as JSON text, and text that no spreadsheet runs."""

from __future__ import annotations

from typing import Final

import polars as pl

_FORMULA: Final = r"^[\s\x00-\x1f'\x{200b}\x{feff}]*[=+\-@＝＋－＠]|^[\t\r\n]"
_NUMBER: Final = r"^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


def harmless(text: pl.Expr) -> pl.Expr:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    That is text whose first visible character is one of = + - @ (also in full width), unless all
    of it is a number, and text that begins with a tab or a line end. A spreadsheet shows the
    apostrophe or takes it as the mark of a text cell; it runs nothing.

    Examples:
        >>> frame = pl.DataFrame({"x": ["=1+1", "-0.5", "- a caveat", "fine"]})
        >>> frame.select(harmless(pl.col("x")))["x"].to_list()
        ["'=1+1", '-0.5', "'- a caveat", 'fine']
    """
    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return pl.when(~is_formula | text.is_null()).then(text).otherwise(pl.concat_str(pl.lit("'"), text))


def as_json(column: pl.Expr) -> pl.Expr:
    """Return a nested column as JSON text; null stays null.

    Examples:
        >>> frame = pl.DataFrame({"x": [["a", "b"], None]})
        >>> frame.select(as_json(pl.col("x")).alias("x"))["x"].to_list()
        ['["a","b"]', None]
    """
    wrapped = pl.struct(column.alias("v")).struct.json_encode()
    inner = wrapped.str.slice(len('{"v":')).str.strip_suffix("}")
    return pl.when(column.is_not_null()).then(inner)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every nested column as JSON text and every other column as it is."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(as_json(pl.col(name)).alias(name) for name in nested)


def tidy_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame as a spreadsheet may have it: flat, and its text harmless."""
    level = flat(frame)
    texts = [name for name, dtype in level.schema.items() if dtype == pl.String]
    return level.with_columns(harmless(pl.col(name)).alias(name) for name in texts)
