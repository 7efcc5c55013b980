"""Rows of a table: their cells, what they read as, and the metrics in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from grade.answers.blocks import Block, Span
from grade.answers.figures import key_of, value_of
from grade.answers.plain import plain

_BAR: Final = re.compile(r"(?<!\\)\|")
_VALUES: Final = frozenset({"value", "values", "result", "figure", "number", "amount", "estimate"})
_UNITS: Final = frozenset({"unit", "units"})
_METRICS: Final = frozenset({"metric", "metrics", "measure", "indicator", "statistic", "kpi"})
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table below its header.

    Attributes:
        cells: The cells as they read.
        names: The header's cells; empty for a table without one.
        spans: The header's place, if there is one, then the row's.
    """

    cells: tuple[str, ...]
    names: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def is_pair(self) -> bool:
        """The table has two columns, a name and a value."""
        return len(self.cells) == _PAIR

    @property
    def is_of_metrics(self) -> bool:
        """The table's first column is said to name metrics."""
        return bool(self.names) and key_of(self.names[0]) in _METRICS

    def figures(self) -> list[tuple[str, Any]]:
        """Return the metrics of the row by name: the first cell names the row, the header the column."""
        label = self.cells[0]
        if not any(character.isalpha() for character in label):
            return []
        named = dict(zip(self._columns(), self.cells[1:], strict=True))
        unit = next((cell for name, cell in named.items() if name in _UNITS), "")
        values = [
            (
                "" if name in _VALUES else name,
                value_of(f"{cell} {unit}" if name in _VALUES and unit else cell),
            )
            for name, cell in zip(self._columns(), self.cells[1:], strict=True)
        ]
        found = [(name, value) for name, value in values if value is not None]
        if self.is_pair:
            return [(key_of(label), value) for _, value in found]
        return [(f"{key_of(label)}_{name}" if name else key_of(label), value) for name, value in found]

    def _columns(self) -> list[str]:
        names = [key_of(name) for name in self.names[1:]]
        return [*names, *[""] * len(self.cells)][: len(self.cells) - 1]


def read_row(text: str, block: Block, names: tuple[str, ...]) -> Row | None:
    """Return a row below a table's header, None for the header itself and for a row without words.

    Args:
        text: The answer.
        block: The row.
        names: The cells of its table's header.
    """
    if block.header is None:
        return None
    cells = cells_of(text, block.span)
    if not any(character.isalnum() for cell in cells for character in cell):
        return None
    return Row(tuple(cells), names[: len(cells)], (block.header, block.span))


def cells_of(text: str, span: Span) -> list[str]:
    """Return the cells of a row, without bars and marks."""
    row = text[span.start : span.end].strip()
    row = row.removeprefix("|")
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    return [plain(cell.replace("\\|", "/")) for cell in _BAR.split(row)]


def row_text(row: Row) -> str:
    """Return what a row reads as: its first cell, then each cell with its column's name.

    Examples:
        >>> row_text(Row(("October", "82.4%", ""), ("Month", "Rate", "Note"), ()))
        'October; Rate: 82.4%'
    """
    names = [*row.names, *[""] * len(row.cells)]
    parts = [row.cells[0]]
    parts += [
        f"{name}: {cell}" if name else cell
        for name, cell in zip(names[1:], row.cells[1:], strict=False)
        if cell
    ]
    return "; ".join(part for part in parts if part)
