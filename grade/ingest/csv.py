"""Read a CSV file as records: its rows as mappings, each cell by a stated rule.

Cells are text, and an empty one is null. In the columns that hold numbers or JSON a cell must be a
JSON value; one that is none stays text, which the strict types behind then refuse.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from grade.ingest.batch import Records
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.records import cut_lines
from grade.ingest.refusals import Refusal

_BATCH_ROWS: Final = 20_000
_JSON: Final = msgspec.json.Decoder()
_ERRORS: Final = {"end of data": "truncated", "larger than field limit": "too_long"}


def cut_rows(
    blocks: Iterable[bytes], *, file: str, json_columns: Collection[str], limits: Limits = DEFAULT_LIMITS
) -> Iterator[Records]:
    r"""Read one CSV file in batches of rows, in the order of the file.

    The first row names the columns. A quoted cell may hold line ends. A row with another number of
    cells than the header, or with stray quotes, is refused.

    Args:
        blocks: The file's bytes, uncompressed, in pieces of any size.
        file: The file's name, for the places.
        json_columns: The columns whose cells are JSON values, numbers among them.
        limits: What a row may hold at most.

    Examples:
        >>> [batch] = cut_rows([b"a,b\n1,\n1,nan\n"], file="v.csv", json_columns={"a", "b"})
        >>> batch.items
        [{'a': 1}, {'a': 1, 'b': 'nan'}]
    """
    lines = _Lines(cut_lines(blocks, file=file, limits=limits))
    batch = Records(file)
    header: list[str] = []
    for row in _parse(lines):
        fault = _fault(row, header)
        if fault is not None:
            batch.refuse(row.line, row.offset, *fault, row.text)
        elif header:
            cells = _values(header, row.cells, json_columns)
            batch.add(cells, line=row.line, offset=row.offset, raw=row.text)
        if not header:
            if fault is not None:
                break
            header = row.cells
        if len(batch) >= _BATCH_ROWS:
            yield batch
            batch = Records(file)
    batch.refused.extend(lines.refused)
    if len(batch) > 0:
        yield batch


class _Row(NamedTuple):
    cells: list[str]
    error: str
    line: int | None
    offset: int | None
    text: bytes


class _Lines:
    """The lines of a file as text, for a CSV reader, with the places of those last taken."""

    def __init__(self, batches: Iterable[Records]) -> None:
        self.refused: list[Refusal] = []
        self.held: list[tuple[bytes, int | None, int | None]] = []
        self._batches = batches

    def __iter__(self) -> Iterator[str]:
        for batch in self._batches:
            self.refused.extend(batch.refused)
            for item, line, offset in zip(batch.items, batch.lines, batch.offsets, strict=True):
                self.held.append((item, line, offset))
                yield item.decode("utf-8", errors="surrogateescape") + "\n"


def _parse(lines: _Lines) -> Iterator[_Row]:
    """Read rows; a row that is no CSV ends at the end of the line where that is seen."""
    reader = csv.reader(lines, strict=True)
    while True:
        lines.held.clear()
        cells: list[str] = []
        error = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            error = str(fault)
        text = b"\n".join(item for item, _, _ in lines.held)
        if text.strip():
            _, line, offset = lines.held[0]
            yield _Row(cells, error, line, offset, text)


def _fault(row: _Row, header: list[str]) -> tuple[str, str] | None:
    """Return what is wrong with a row as such; of the header when there is none yet."""
    try:
        row.text.decode()
    except UnicodeDecodeError as error:
        return "not_utf8", f"byte {error.start} of the row is not UTF-8"
    if row.error:
        return next((code for words, code in _ERRORS.items() if words in row.error), "bad_csv"), row.error
    if not header:
        doubled = sorted({name for name in row.cells if row.cells.count(name) > 1})
        return ("bad_header", f"named twice: {', '.join(doubled)}") if doubled else None
    if len(row.cells) != len(header):
        return "bad_csv", f"the row has {len(row.cells)} cells; the header has {len(header)}"
    return None


def _values(header: list[str], cells: list[str], json_columns: Collection[str]) -> dict[str, Any]:
    return {
        name: _json_or_text(cell) if name in json_columns else cell
        for name, cell in zip(header, cells, strict=True)
        if cell
    }


def _json_or_text(cell: str) -> object:
    try:
        return _JSON.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        return cell
