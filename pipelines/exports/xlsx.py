"""Export to one workbook: the data dictionary first, then a sheet for each table.

Cells hold text, numbers or true and false, never a formula or a link, whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from grade.columns import COLUMNS
from grade.expressions.cells import tidy_cells
from pipelines.exports.tidy import DICTIONARY_STEM, exporting
from pipelines.places import Place

FILE: Final = "result.xlsx"

_ROWS: Final = 1_048_575
"""Rows that a sheet takes below its heading; a longer table goes on in further sheets."""

_CHARACTERS: Final = 32_767
_CUT: Final = " … [cut: a cell holds 32,767 characters]"
_NAME: Final = 31
_OPTIONS: Final = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_FORMATS: Final = {"score": "0.000", "count": "#,##0", "USD": "$#,##0.0000", "ms": "#,##0"}
_WIDTHS: Final = {pl.String: 28, pl.Float64: 12, pl.Boolean: 9}
_MADE: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The workbook's date, the same for the same result."""


def export_xlsx(results: Place, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write `result.xlsx`; see `pipelines.exports.tidy.exporting`."""
    with (
        exporting(results, out, tables, to="xlsx") as export,
        xlsxwriter.Workbook(str(export.folder / FILE), _OPTIONS) as book,
    ):
        about = {"title": "grade result", "created": _MADE.replace(tzinfo=None)}
        book.set_properties(about)
        book.set_custom_property("schema_version", str(export.result.manifest.get("schema_version", "")))
        styles = _styles(book)
        _add_table(book, styles, DICTIONARY_STEM, [export.dictionary])
        for name in export.tables:
            _add_table(book, styles, name, export.frames(name))


def _styles(book: xlsxwriter.Workbook) -> dict[str, Format]:
    styles = {unit: book.add_format({"num_format": code, "valign": "top"}) for unit, code in _FORMATS.items()}
    styles["heading"] = book.add_format({"bold": True, "bottom": 1, "bg_color": "#e8eef4"})
    styles["plain"] = book.add_format({"valign": "top"})
    return styles


def _add_table(
    book: xlsxwriter.Workbook, styles: dict[str, Format], name: str, frames: Iterable[pl.DataFrame]
) -> None:
    """Write a table; each sheet has a heading that stays in view, and a filter."""
    pieces = iter(frames)
    first = next(pieces)
    sheet, row, part = _add_sheet(book, styles, _sheet_name(name, 1), first), 0, 1
    for frame in chain([first], pieces):
        for values in tidy_cells(frame).rows():
            if row == _ROWS:
                part += 1
                sheet, row = _add_sheet(book, styles, _sheet_name(name, part), first), 0
            row += 1
            _write_row(sheet, row, values)
    if part == 1 and row:
        sheet.autofilter(0, 0, row, first.width - 1)


def _add_sheet(
    book: xlsxwriter.Workbook, styles: dict[str, Format], name: str, frame: pl.DataFrame
) -> Worksheet:
    sheet: Worksheet = book.add_worksheet(name)
    for place, (column, dtype) in enumerate(frame.schema.items()):
        known = COLUMNS.get(column)
        unit = known.unit if known else ""
        width = max(_WIDTHS.get(type(dtype), 10), min(len(column) + 3, 34))
        sheet.set_column(place, place, width, styles.get(unit, styles["plain"]))
        sheet.write_string(0, place, column, styles["heading"])
    sheet.freeze_panes(1, 0)
    return sheet


def _write_row(sheet: Worksheet, row: int, values: tuple[object, ...]) -> None:
    for place, value in enumerate(values):
        if isinstance(value, bool):
            sheet.write_boolean(row, place, value)
        elif isinstance(value, int | float):
            sheet.write_number(row, place, value)
        elif value is not None:
            sheet.write_string(row, place, _fitting(str(value)))


def _fitting(text: str) -> str:
    return text if len(text) <= _CHARACTERS else text[: _CHARACTERS - len(_CUT)] + _CUT


def _sheet_name(table: str, part: int) -> str:
    ending = f" {part}" if part > 1 else ""
    return table[: _NAME - len(ending)] + ending
