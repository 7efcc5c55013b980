"""Export to CSV: nested values as JSON text, and no text that a spreadsheet would run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grade.expressions.cells import tidy_cells
from pipelines.exports.tidy import exporting
from pipelines.places import Place


def export_csv(results: Place, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write each table as `<table>.csv` in UTF-8; see `pipelines.exports.tidy.exporting`."""
    with exporting(results, out, tables, to="csv") as export:
        for name in export.tables:
            with (export.folder / f"{name}.csv").open("wb") as file:
                for number, frame in enumerate(export.frames(name)):
                    tidy_cells(frame).write_csv(file, include_header=number == 0)
