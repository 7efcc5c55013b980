"""Export to Parquet: the files as they are, with schema version and notes in their metadata.

For a lake, tables are cut into folders by the values of a column: `<table>/<column>=<value>/`, as
Hive names them. The column stays in the files too.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from grade.errors import InputError
from grade.hints import nearest
from pipelines.exports.tidy import Export, exporting
from pipelines.places import Place

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_LONGEST: Final = 255


def export_parquet(
    results: Place, out: Path, tables: Sequence[str] | None = None, partition_by: str | None = None
) -> None:
    """Write each table as `<table>.parquet`, or in folders; see `pipelines.exports.tidy.exporting`.

    Args:
        results: The result folder.
        out: The folder to write.
        tables: The tables to export; all without.
        partition_by: Tables with this column are cut by its values.

    Raises:
        InputError: No table has the column, or a value is too long for the name of a folder.
    """
    with exporting(results, out, tables, to="parquet") as export:
        cut = () if partition_by is None else _tables_with(export, partition_by)
        for name in export.tables:
            if partition_by is not None and name in cut:
                _write_partitions(export, name, partition_by)
            else:
                shutil.copyfile(export.result.files[name], export.folder / f"{name}.parquet")


def partition_folder(column: str, value: object) -> str:
    """Return the name of a value's folder: safe on any file system, and read back by any engine.

    Examples:
        >>> partition_folder("model_id", "acme/model-a 1.5")
        'model_id=acme%2Fmodel-a%201.5'
        >>> partition_folder("track", None)
        'track=__HIVE_DEFAULT_PARTITION__'

    Raises:
        InputError: The value is too long.
    """
    name = f"{column}={_NULL if value is None else quote(str(value), safe='')}"
    if len(name) > _LONGEST:
        raise InputError(
            "a value is too long for the name of a folder",
            where=column,
            got=str(value)[:80],
            expected=f"at most {_LONGEST} bytes, written as in a web address",
            hint="export without --partition-by",
        )
    return name


def _tables_with(export: Export, column: str) -> frozenset[str]:
    """The tables to cut; one without rows would leave a folder without files, which no engine opens."""
    columns = {name: pq.read_schema(export.result.files[name]).names for name in export.tables}
    found = frozenset(name for name, names in columns.items() if column in names)
    if found:
        return frozenset(name for name in found if pq.read_metadata(export.result.files[name]).num_rows)
    known = sorted({one for names in columns.values() for one in names})
    raise InputError("no exported table has such a column to cut by", got=column, hint=nearest(column, known))


def _write_partitions(export: Export, name: str, column: str) -> None:
    """Write a file whenever the value changes: one per value where the table is sorted by it."""
    n_parts: Counter[object] = Counter()
    schema = pq.read_schema(export.result.files[name])
    writer: pq.ParquetWriter | None = None
    last: tuple[object] | None = None
    (export.folder / name).mkdir()
    try:
        for value, rows in _stretches(export, name, column):
            if writer is None or (value,) != last:
                if writer is not None:
                    writer.close()
                folder = export.folder / name / partition_folder(column, value)
                folder.mkdir(exist_ok=True)
                path = folder / f"part-{n_parts[value]:06d}.parquet"
                writer = pq.ParquetWriter(path, schema, compression="zstd", version="2.6")
                n_parts[value] += 1
                last = (value,)
            writer.write_table(rows)
    finally:
        if writer is not None:
            writer.close()


def _stretches(export: Export, name: str, column: str) -> Iterator[tuple[object, pa.Table]]:
    """Yield the rows of a table in pieces of one value each, in order."""
    for batch in export.batches(name):
        rows = pa.Table.from_batches([batch])
        lengths = pl.Series(rows[column]).rle().struct.unnest()
        start = 0
        for length, value in lengths.rows():
            yield value, rows.slice(start, length)
            start += length
