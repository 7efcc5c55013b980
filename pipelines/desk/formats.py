"""How rows are written; light, so that `--help` needs nothing else."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """A form of rows."""

    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
