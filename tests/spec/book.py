"""Read the tables of the specification: Markdown, one case a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
_CELLS = re.compile(r"(?<!\\)\|")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True)
class Case:
    """One row: the rule it is of, its number within the chapter, and its cells by column."""

    rule: str
    number: int
    cells: dict[str, str]

    def __str__(self) -> str:
        return f"{self.number:03} {self.rule}: {self.cells['why']}"

    @property
    def task_id(self) -> str:
        """The task that a case is scored as."""
        return f"CASE-{self.number:03}"

    def has(self, column: str) -> bool:
        return bool(self.cells.get(column))

    def text(self, column: str) -> str | None:
        """The cell, or None where it is blank."""
        return self.cells.get(column) or None

    def texts(self, column: str) -> list[str]:
        """The parts of a cell, which `//` separates; a blank cell has none."""
        return [part.strip() for part in self.cells.get(column, "").split("//") if part.strip()]

    def number_of(self, column: str) -> float | None:
        return float(self.cells[column]) if self.has(column) else None

    def says(self, column: str) -> bool:
        """A cell that says yes or no."""
        return {"yes": True, "no": False}[self.cells[column]]


def read_chapter(name: str) -> list[Case]:
    """Read every row of every table of a chapter."""
    cases: list[Case] = []
    rule, columns = "", []
    for line in (HERE / f"{name}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            rule = line.removeprefix("## ")
        if not line.startswith("|"):
            columns = []
        elif not columns:
            columns = list(_split(line))
        elif not re.fullmatch(r"[|: -]+", line):
            cells = dict(zip(columns, _split(line), strict=True))
            cases.append(Case(rule, len(cases) + 1, cells))
    return cases


def _split(line: str) -> Iterator[str]:
    for cell in _CELLS.split(line)[1:-1]:
        bare = cell.strip()
        if re.fullmatch(r"`[^`]+`", bare):
            bare = bare[1:-1]
        plain = bare.replace("\\|", "|").replace("\\n", "\n").replace("\\r", "\r")
        yield _ESCAPE.sub(lambda match: chr(int(match[1], 16)), plain)
