"""Read one table file under exactly the name that it has.

polars takes a name with `*`, `?` or `[` for a pattern, and the folders of users may be called so.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

_LONGEST_CELL: Final = 2**31 - 1


def scan_table(path: Path) -> pl.LazyFrame:
    """Return a Parquet file as a lazy frame."""
    return pl.scan_parquet(path, glob=False)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return a Parquet file as a frame.

    Args:
        path: The file.
        columns: The columns to read; None or none of them reads all.
    """
    return pl.read_parquet(path, columns=list(columns) if columns else None, glob=False)


def read_schema(path: Path) -> pl.Schema:
    """Return the names and types of a Parquet file's columns."""
    return scan_table(path).collect_schema()


def read_csv(path: Path) -> pl.DataFrame:
    """Return a CSV file as a frame, types taken from all of its rows."""
    return pl.read_csv(path, infer_schema_length=None, try_parse_dates=True, glob=False)


def allow_long_cells(n_bytes: int = _LONGEST_CELL) -> None:
    """Let the CSV reader of the standard library take cells of this length, for this process.

    Its own limit is 131,072; an answer or a judge's reasoning may be longer.
    """
    csv.field_size_limit(n_bytes)
