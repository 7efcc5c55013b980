"""A result folder as a database: every table under its name, and views that answer common questions."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

import polars as pl

from grade.columns import COLUMNS
from grade.dictionary import DICTIONARY
from grade.levels import dimension_frame
from grade.sandbox import Sandbox
from pipelines.desk.folder import ResultFolder
from pipelines.desk.views import View, find_views

_DIMENSION_NOTES: Final = {
    "ordinal": "Place of the dimension in every report.",
    "weight": "Locked weight of the dimension, in percent.",
    "title": "How reports name the dimension.",
}


class Session:
    """A confined database over one result folder.

    Args:
        result: The folder.
        threads: Threads for a query.
    """

    def __init__(self, result: ResultFolder, *, threads: int | None = None) -> None:
        self._result = result
        tables = {name: result.dataset(name) for name in result.files}
        self.views = tuple(find_views({*tables, "dimensions"}))
        self._sandbox = Sandbox(
            {"dimensions": dimension_frame(), **tables},
            {view.name: view.sql for view in self.views},
            threads=threads,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sandbox.__exit__(kind, fault, trace)

    def select(self, sql: str) -> pl.DataFrame:
        """Run one reading query; see `Sandbox.select`."""
        return self._sandbox.select(sql)

    def dictionary(self) -> pl.DataFrame:
        """Return what every table, view and column means; see `grade.dictionary.DICTIONARY`."""
        dimensions = View("dimensions", "", "a dimension with its locked weight", _DIMENSION_NOTES)
        made = [self._describe(view) for view in (dimensions, *self.views)]
        return pl.concat([*made, self._result.dictionary])

    def _describe(self, view: View) -> pl.DataFrame:
        rows = []
        for name, kind in self._sandbox.columns(view.name):
            known = COLUMNS.get(name)
            note = view.notes.get(name) or (known.note if known else "")
            unit = known.unit or None if known else None
            rows.append((view.name, view.row, name, kind.lower(), unit, False, True, None, note))
        return pl.DataFrame(rows, schema=DICTIONARY, orient="row")
