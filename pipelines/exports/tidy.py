"""What all exports of tables share: which tables, in pieces, with a dictionary beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from grade.expressions.cells import tidy_cells
from grade.report.markdown import escape, table
from pipelines.desk.folder import ResultFolder, open_result
from pipelines.manifest import grade_version, list_outputs
from pipelines.parquet import ROW_GROUP_ROWS
from pipelines.places import Place
from pipelines.write import MANIFEST, replaced_folder

EXPORT_MARKER: Final = "grade-export"
"""Value of `format` in the manifest of an exported folder."""

DICTIONARY_STEM: Final = "data_dictionary"


@dataclass(frozen=True, slots=True)
class Export:
    """An export on its way.

    Attributes:
        result: The result folder.
        tables: The tables that are exported, in the order in which they are made.
        folder: Where files are written; it takes the place of the output folder in the end.
    """

    result: ResultFolder
    tables: tuple[str, ...]
    folder: Path

    @property
    def dictionary(self) -> pl.DataFrame:
        """The data dictionary of the exported tables."""
        return self.result.dictionary.filter(pl.col("table").is_in(self.tables))

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """Yield a table in pieces, so that no table is held whole; at least one, maybe empty."""
        with pq.ParquetFile(self.result.files[name]) as file:
            if file.metadata.num_rows == 0:
                yield from file.schema_arrow.empty_table().to_batches() or [_no_rows(file.schema_arrow)]
            yield from file.iter_batches(ROW_GROUP_ROWS)

    def frames(self, name: str) -> Iterator[pl.DataFrame]:
        """Yield a table in pieces, see `batches`, as frames."""
        for batch in self.batches(name):
            yield pl.DataFrame(batch)


@contextmanager
def exporting(results: Place, out: Path, tables: Sequence[str] | None, *, to: str) -> Iterator[Export]:
    """Open a result folder and an output folder; in the end the dictionary and manifest are added.

    Args:
        results: The result folder.
        out: A new path, an empty folder or an earlier export.
        tables: The tables to export; all without.
        to: The format, for the manifest.

    Raises:
        InputError: There is no such result folder or table.
        OutputError: The output folder holds something else or cannot be written.
    """
    result = open_result(results)
    chosen = tuple(name for name in result.files if name in set(tables)) if tables else tuple(result.files)
    for name in tables or ():
        result.dataset(name)
    with replaced_folder(out, marker=EXPORT_MARKER) as folder:
        export = Export(result, chosen, folder)
        yield export
        _write_dictionary(export)
        about = {
            "format": EXPORT_MARKER,
            "to": to,
            "grade_version": grade_version(),
            "schema_version": result.manifest.get("schema_version"),
            "method": result.manifest.get("method"),
            "tables": list(chosen),
            "outputs": list_outputs(folder),
        }
        (folder / MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _write_dictionary(export: Export) -> None:
    tidy_cells(export.dictionary).write_csv(export.folder / f"{DICTIONARY_STEM}.csv")
    lines = ["# Data dictionary"]
    for (name, row), part in export.dictionary.group_by("table", "row", maintain_order=True):
        cells = [
            [
                f"`{column['column']}`" + (" (key)" if column["is_key"] else ""),
                column["type"] + (f", {column['unit']}" if column["unit"] else ""),
                escape(column["note"]) + (f" One of: {column['values']}." if column["values"] else ""),
            ]
            for column in part.rows(named=True)
        ]
        lines += ["", f"## {name}", "", f"One row is {row}.", ""]
        lines += table(["Column", "Type", "Meaning"], cells, n_text=3)
    text = "\n".join(lines) + "\n"
    (export.folder / f"{DICTIONARY_STEM}.md").write_text(text, encoding="utf-8")


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
