"""Refused records: what is known of each, and the table of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from grade.rules import readable
from grade.schemas import REJECTS


class Refusal(NamedTuple):
    """A record that was refused.

    Attributes:
        file: The file that it stands in.
        line: Its first line, from 1; None for Parquet and for a file as a whole.
        byte_offset: Where it begins in the uncompressed file; None where there is no such place.
        reason: A key of `REASONS`.
        detail: The reason in words.
        raw: The record's first bytes.
    """

    file: str
    line: int | None
    byte_offset: int | None
    reason: str
    detail: str
    raw: bytes = b""


class ReadFault(Exception):  # noqa: N818 - it is a fault of the file, told on as a refusal
    """The rest of a file cannot be read; what came before it stands.

    Args:
        reason: A key of `REASONS`.
        detail: The reason in words.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


def reject_table(refusals: Sequence[Refusal]) -> pl.DataFrame:
    """Return refusals as REJECTS, in the order given."""
    rows = [(*refusal[:5], readable(refusal.raw)) for refusal in refusals]
    return pl.DataFrame(rows, schema=REJECTS.dtypes, orient="row")
