"""Write tables as they are made: appended batch by batch, the same bytes for the same rows.

Rows are held back until a row group is full, so that a file does not depend on how its rows were
cut into batches. The schema's version and the columns' notes travel in the file's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from grade.errors import ContractError
from grade.schemas import Table
from pipelines.interrupts import unbroken

SCHEMA_VERSION: Final = "1"
"""Version of the result tables; it changes when a column changes its name, type or meaning."""

ROW_GROUP_ROWS: Final = 32_768
"""Rows of a row group."""

ANSWER_ROWS: Final = 2_048
"""Rows of a row group of answers: about 10 MB, and small enough to be held back."""

_ANSWERS: Final = frozenset({"raw_response_text"})


class TableFile:
    """One table's Parquet file, open for appending.

    Args:
        folder: Where the file `<table>.parquet` is made.
        table: The contract; frames must be checked against it before.
    """

    def __init__(self, folder: Path, table: Table) -> None:
        self.table = table
        self.n_rows = 0
        self.path = folder / f"{table.name}.parquet"
        self._schema = _arrow_schema(table)
        self._held: list[pl.DataFrame] = []
        self._n_held = 0
        self._last: tuple[object, ...] | None = None
        self._group_rows = ANSWER_ROWS if _ANSWERS & set(table.columns) else ROW_GROUP_ROWS
        self._writer = pq.ParquetWriter(self.path, self._schema, compression="zstd", version="2.6")

    def append(self, frame: pl.DataFrame) -> None:
        """Add rows, sorted by key within this frame and after every earlier one.

        Raises:
            ContractError: The first row comes before the last one written.
            OSError: The disk refuses.
        """
        if frame.is_empty():
            return
        frame = frame.sort(self.table.key, maintain_order=True, nulls_last=False)
        self._require_order(frame)
        self._held.append(frame)
        self._n_held += frame.height
        self.n_rows += frame.height
        while self._n_held >= self._group_rows:
            self._write(self._group_rows)

    def close(self) -> None:
        """Write what is held back, and the file's end.

        Raises:
            OSError: The disk refuses.
        """
        if self._n_held:
            self._write(self._n_held)
        self._writer.close()

    def _require_order(self, frame: pl.DataFrame) -> None:
        keys = frame.select(self.table.key)
        first, last = _ordered(keys.row(0)), _ordered(keys.row(-1))
        if self._last is not None and first < self._last:
            raise ContractError(f"{self.table.name}: rows are written out of order at {keys.row(0)}")
        self._last = last

    def _write(self, n_rows: int) -> None:
        held = pl.concat(self._held)
        group, rest = held.head(n_rows), held.slice(n_rows)
        self._writer.write_table(_to_arrow(group, self._schema), row_group_size=n_rows)
        self._held, self._n_held = [rest], rest.height


class TableFiles:
    """All table files of one result folder; closed together.

    Args:
        folder: Where the files are made.
        tables: The tables that are written, each from the start, so that an empty one has a file too.
    """

    def __init__(self, folder: Path, tables: Iterable[Table]) -> None:
        self._files = {table.name: TableFile(folder, table) for table in tables}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        with unbroken():  # so that what was appended can be read
            for file in self._files.values():
                file.close()

    def append(self, name: str, frame: pl.DataFrame) -> None:
        """Add rows to a table; see `TableFile.append`."""
        self._files[name].append(frame)

    @property
    def n_rows(self) -> dict[str, int]:
        """Rows written so far, by table."""
        return {name: file.n_rows for name, file in self._files.items()}


def _ordered(key: tuple[object, ...]) -> tuple[object, ...]:
    """A key that compares as polars sorts: null before everything else."""
    return tuple((part is not None, part if part is not None else 0) for part in key)


def _to_arrow(frame: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    table = frame.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    return table.cast(schema).combine_chunks()


def _arrow_schema(table: Table) -> pa.Schema:
    bare = table.empty().to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    notes = {name: _note(table, name) for name in table.columns}
    fields = [bare.field(name).with_metadata(notes[name]) for name in table.columns]
    about = {
        "grade.schema_version": SCHEMA_VERSION,
        "grade.table": table.name,
        "grade.row": table.row,
        "grade.key": json.dumps(table.key),
        "grade.columns": json.dumps(notes, sort_keys=True),
    }
    return pa.schema(fields, metadata=about)


def _note(table: Table, name: str) -> dict[str, str]:
    column = table.column(name)
    return {"note": column.note} | ({"unit": column.unit} if column.unit else {})
