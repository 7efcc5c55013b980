"""Say what a query selected: a table to read, or CSV, JSON lines or Parquet to work with."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import BinaryIO, Final

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grade.errors import OutputError
from grade.expressions.cells import flat, tidy_cells
from grade.report.markdown import plain
from pipelines.desk.formats import Format
from pipelines.write import writing

SHOWN_ROWS: Final = 100
"""Rows of a table for reading; files hold all rows."""

_LONGEST_CELL: Final = 60
_PLAN: Final = ["explain_key", "explain_value"]
_NUMBERS: Final = (pl.Float64, pl.Float32)


def show(frame: pl.DataFrame, chosen: Format, *, out: Path | None = None, console: Console) -> None:
    """Write the rows to a file, or to stdout.

    Args:
        frame: What was selected.
        chosen: The form.
        out: The file; without one, stdout.
        console: Where a table for reading goes.

    Raises:
        OutputError: The file cannot be written, or Parquet would go to a terminal.
    """
    if chosen is Format.TABLE and out is None:
        console.print(table_view(frame, width=console.width), soft_wrap=True)
    elif out is not None:
        with writing(out):
            out.write_bytes(_encoded(frame, chosen))
    else:
        _to_stdout(_encoded(frame, chosen), chosen, sys.stdout.buffer)


def table_view(frame: pl.DataFrame, *, width: int, n_shown: int = SHOWN_ROWS) -> Table | Text:
    """Return a table for the terminal; one line per value where the columns do not fit side by side."""
    if frame.columns == _PLAN:
        return Text("\n".join(frame[_PLAN[1]]))
    shown = frame.head(n_shown)
    cells = [[_cell(value) for value in row] for row in shown.rows()]
    left = f"… {frame.height - n_shown:,} more rows; --format csv, jsonl or parquet has them all"
    caption = left if frame.height > n_shown else f"{frame.height:,} row{'s' * (frame.height != 1)}"
    widths = [max(map(len, [name, *column])) for name, *column in zip(frame.columns, *cells, strict=True)]
    if sum(widths) + 2 * len(widths) > width:
        return _records(frame.columns, cells, caption)
    made = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, caption=caption, caption_justify="left")
    for name, dtype in frame.schema.items():
        made.add_column(Text(plain(name)), justify="right" if dtype.is_numeric() else "left")
    for row in cells:
        made.add_row(*map(Text, row))
    return made


def _records(names: list[str], cells: list[list[str]], caption: str) -> Text:
    longest = max(map(len, names))
    lines = []
    for number, row in enumerate(cells, start=1):
        lines.append(f"-- row {number}")
        lines += [f"{plain(name):<{longest}}  {cell}" for name, cell in zip(names, row, strict=True)]
    return Text("\n".join([*lines, caption]))


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.1f}"  # noqa: PLR2004
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = plain(str(value))
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1].rstrip() + "…"


def _encoded(frame: pl.DataFrame, chosen: Format) -> bytes:
    buffer = io.BytesIO()
    match chosen:
        case Format.CSV:
            tidy_cells(frame).write_csv(buffer)
        case Format.JSONL:
            frame.with_columns(pl.col(*_NUMBERS).fill_nan(None)).write_ndjson(buffer)
        case Format.PARQUET:
            frame.write_parquet(buffer)
        case Format.TABLE:
            console = Console(file=io.StringIO(), width=10_000)
            console.print(table_view(flat(frame), width=console.width, n_shown=frame.height))
            buffer.write(console.file.getvalue().encode())  # type: ignore[attr-defined]
    return buffer.getvalue()


def _to_stdout(data: bytes, chosen: Format, stream: BinaryIO) -> None:
    if chosen is Format.PARQUET and stream.isatty():
        raise OutputError("Parquet is not for a terminal", hint="add --out FILE, or redirect stdout")
    stream.write(data)
    stream.flush()
