"""Bytes of a pack's files: the same content always gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from grade.errors import InputError
from pipelines import table_files

TASKS = "tasks.jsonl"
MANIFEST = "manifest.json"
GROUND_TRUTH = "ground_truth.json"
MEASURES = "measures.sql"
CARD = "DATASET_CARD.md"


def csv_bytes(frame: pl.DataFrame) -> bytes:
    """Return a frame as CSV with a header line and newline line ends; null is an empty field."""
    return frame.write_csv().encode()


def json_bytes(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return a value as indented JSON, keys in the order given."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def jsonl_bytes(values: Iterable[Any]) -> bytes:
    """Return values as JSON Lines, keys in the order given."""
    lines = (json.dumps(value, ensure_ascii=False, allow_nan=False) for value in values)
    return "".join(f"{line}\n" for line in lines).encode()


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal.

    >>> sha256(b"")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(data).hexdigest()


def read_table(path: Path) -> pl.DataFrame:
    """Return a CSV or Parquet file as a frame, types taken from all of its rows.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        if path.suffix == ".parquet":
            return table_files.read_table(path)
        return table_files.read_csv(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError("a table cannot be read", where=path.name, hint=str(error)) from error


def is_table(path: Path) -> bool:
    """Return whether a file is a table that SQL may name by its stem."""
    return path.suffix in {".csv", ".parquet"}
