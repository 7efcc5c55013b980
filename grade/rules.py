"""Sort rows into good ones and refused ones: the first rule that a row breaks gives its reason."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Final, NamedTuple

import polars as pl

from grade.schemas import REJECTS

RAW_BYTES: Final = 2_000
"""How much of a refused record is kept."""


class Rule(NamedTuple):
    """A rule that rows may break.

    Attributes:
        reason: The code of a row that breaks it.
        is_broken: True for such a row; null counts as false.
        detail: The reason in words, for such a row.
    """

    reason: str
    is_broken: pl.Expr
    detail: pl.Expr


class Sorted(NamedTuple):
    """Rows sorted by rules; together they are all rows.

    Attributes:
        kept: The rows that break none, unchanged and in their order.
        rejects: The others as REJECTS, with the first rule that each breaks.
    """

    kept: pl.DataFrame
    rejects: pl.DataFrame


def sort_out(frame: pl.DataFrame, rules: Sequence[Rule]) -> Sorted:
    """Apply rules in their order.

    Args:
        frame: Any columns, with file, line, byte_offset and raw (bytes) among them.
        rules: The rules; a row is told the first that it breaks.
    """
    broken = [rule.is_broken.fill_null(value=False) for rule in rules]
    reason = pl.coalesce(
        *(pl.when(test).then(pl.lit(rule.reason)) for test, rule in zip(broken, rules, strict=True))
    )
    detail = pl.coalesce(*(pl.when(test).then(rule.detail) for test, rule in zip(broken, rules, strict=True)))
    told = frame.with_columns(reason=reason, detail=detail)
    refused = told.filter(pl.col("reason").is_not_null())
    return Sorted(told.filter(pl.col("reason").is_null()).drop("reason", "detail"), reject_rows(refused))


def reject_rows(refused: pl.DataFrame) -> pl.DataFrame:
    """Write refused rows, with their reason, detail and raw bytes, as REJECTS."""
    raw = pl.Series("raw", [readable(head or b"") for head in refused["raw"]], dtype=pl.String)
    return refused.with_columns(raw).select(
        pl.col(name).cast(dtype) for name, dtype in REJECTS.dtypes.items()
    )


def readable(raw: bytes) -> str:
    r"""Return the head of a record as text.

    Bytes that are not UTF-8 become U+FFFD; a character that the cut leaves unfinished is left out.

    Examples:
        >>> readable(b"caf\xc3\xa9 \xff!")
        'café \ufffd!'
        >>> readable(b"x" * 1_999 + "é".encode())[-2:]
        'xx'
    """
    return codecs.utf_8_decode(raw[:RAW_BYTES], "replace", False)[0]
