"""Parts of a store: Parquet files of runs with their places, each sorted by key.

A row is found by part and row number. Parts are cut into small row groups, so that reading a
range of rows reads little else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, overload

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from grade.errors import InputError
from grade.ingest.runs import empty_runs
from grade.schemas import RUN_KEY
from pipelines.places import Place, Remote, open_parquet

ROW_GROUP_ROWS: Final = 1_000
"""Rows of a row group: about 5 MB of answers."""

_RANGE_ROWS: Final = 20_000
_SCHEMA: Final = empty_runs().to_arrow(compat_level=pl.CompatLevel.oldest()).schema


class PartWriter:
    """One part, open for appending frames in key order.

    Args:
        path: The file to make.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n_rows = 0
        self._writer = pq.ParquetWriter(path, _SCHEMA, compression="zstd", compression_level=1)

    def append(self, runs: pl.DataFrame) -> None:
        """Add rows with the columns of `grade.ingest.runs.empty_runs`."""
        table = runs.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(_SCHEMA)
        self._writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
        self.n_rows += runs.height

    def close(self) -> None:
        """Write the file's end."""
        self._writer.close()


@overload
def part_path(folder: Path, part: int) -> Path: ...
@overload
def part_path(folder: Remote, part: int) -> Remote: ...
def part_path(folder: Place, part: int) -> Place:
    """Return where a part lies in a store's folder."""
    return folder / f"part-{part:06d}.parquet"


def read_rows(folder: Place, places: pl.DataFrame, columns: tuple[str, ...] | None = None) -> pl.DataFrame:
    """Read some rows of a store.

    Args:
        folder: The folder of the parts.
        places: part and row, in the order in which the rows are wanted.
        columns: The columns to read; all when not given.

    Returns:
        The rows, in the order of `places`.

    Raises:
        InputError: A part is missing or damaged.
    """
    numbered = places.select("part", "row").with_row_index("order")
    pieces = [
        _read_part(part_path(folder, part), wanted, columns)
        for (part,), wanted in numbered.group_by("part", maintain_order=True)
    ]
    if not pieces:
        return empty_runs().select(columns or pl.all())
    return pl.concat(pieces).sort("order").drop("order")


def _read_part(path: Place, wanted: pl.DataFrame, columns: tuple[str, ...] | None) -> pl.DataFrame:
    """Read the row groups that hold the wanted rows and keep these."""
    rows = wanted["row"].to_numpy().astype(np.int64)
    groups = np.unique(rows // ROW_GROUP_ROWS)
    try:
        with open_parquet(path) as file:
            table = file.read_row_groups(groups.tolist(), columns=list(columns) if columns else None)
    except (OSError, pa.ArrowException) as fault:
        raise InputError(
            "a part of the store cannot be read",
            where=str(path),
            got=str(fault),
            hint="make the store anew: grade ingest RUNS... --store NEW_DIR",
        ) from fault
    # Every row group but the last is full, so a row's place follows from its group's.
    local = np.searchsorted(groups, rows // ROW_GROUP_ROWS) * ROW_GROUP_ROWS + rows % ROW_GROUP_ROWS
    return pl.DataFrame(table)[local].with_columns(order=wanted["order"])


def sort_parts(folder: Path, index: pl.DataFrame, parts: Iterator[int]) -> pl.DataFrame:
    """Rewrite the rows of scattered parts in key order, holding only a range of them at a time.

    The rows are first spread over files of one key range each, and each range is then sorted.

    Args:
        folder: The folder of the parts.
        index: part, row and the run key of the rows to keep, all of parts to be rewritten.
        parts: Numbers for the new parts.

    Returns:
        The index with the new part and row of each row, sorted by key.
    """
    ordered = index.sort(RUN_KEY).with_columns(range=pl.int_range(pl.len()) // _RANGE_ROWS)
    ranges = {number: PartWriter(_range_path(folder, number)) for number in ordered["range"].unique()}
    for _, rows in ordered.sort("part", "row").group_by("part", maintain_order=True):
        _spread(folder, rows, ranges)
    for writer in ranges.values():
        writer.close()
    pieces = [
        _sorted_range(folder, int(str(number)), rows, next(parts))
        for (number,), rows in ordered.group_by("range", maintain_order=True)
    ]
    return pl.concat(pieces).drop("range") if pieces else index


def _range_path(folder: Path, number: int) -> Path:
    return folder / f"range-{number:06d}.parquet"


def _spread(folder: Path, rows: pl.DataFrame, ranges: dict[int, PartWriter]) -> None:
    frame = read_rows(folder, rows)
    for (number,), piece in frame.with_columns(rows["range"]).group_by("range", maintain_order=True):
        ranges[int(str(number))].append(piece.drop("range"))


def _sorted_range(folder: Path, number: int, rows: pl.DataFrame, part: int) -> pl.DataFrame:
    """Make a part of the rows of one range, and tell their new places."""
    path = _range_path(folder, number)
    unsorted = pl.from_arrow(pq.read_table(path))
    assert isinstance(unsorted, pl.DataFrame)  # noqa: S101 - a table gives a frame
    writer = PartWriter(part_path(folder, part))
    writer.append(unsorted.sort(RUN_KEY))
    writer.close()
    path.unlink()
    places = {"part": pl.lit(part, pl.UInt32), "row": pl.int_range(pl.len(), dtype=pl.UInt32)}
    return rows.with_columns(**places)


def scatter(index: pl.DataFrame, *, batch_rows: int) -> float:
    """How many rows are read per row wanted when runs are read in key order, a batch at a time.

    Args:
        index: part and row of each run, sorted by key.
        batch_rows: Rows of a batch.
    """
    if index.is_empty():
        return 1.0
    touched = index.select(
        "part", batch=pl.int_range(pl.len()) // batch_rows, group=pl.col("row") // ROW_GROUP_ROWS
    ).unique()
    return touched.height * ROW_GROUP_ROWS / index.height
