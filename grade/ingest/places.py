"""Where records stand, as columns that travel with them until they are accepted or refused."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.ingest.batch import Records

PLACE: Final[dict[str, pl.DataType]] = {
    "file": pl.String(),
    "line": pl.Int64(),
    "byte_offset": pl.Int64(),
    "raw": pl.Binary(),
}
"""File, line and byte offset of a record, and its first bytes."""


def place_columns(records: Records) -> list[pl.Series]:
    """Return the places of a batch's records as the columns of `PLACE`."""
    return [
        pl.repeat(records.file, len(records.items), dtype=pl.String, eager=True).alias("file"),
        pl.Series("line", records.lines, dtype=pl.Int64),
        pl.Series("byte_offset", records.offsets, dtype=pl.Int64),
        pl.Series("raw", records.raws, dtype=pl.Binary),
    ]
