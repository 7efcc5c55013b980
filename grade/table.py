"""What a table of the house is: its row, its key, its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import polars as pl

from grade.column import Column
from grade.columns import COLUMNS

RUN_KEY: Final = ("model_id", "task_id", "run_index")
"""The columns that find a run."""

GROUP_KEY: Final = ("model_id", "task_id")
"""The columns that find a group: all runs of one model on one task."""


@dataclass(frozen=True)
class Table:
    """One table of the house.

    Attributes:
        name: The table's name, also of its file where it is written.
        row: What one row is.
        key: The columns that find a row; rows are unique and sorted by them.
        values: The other columns, in order.
        required: Value columns that are never null.
        renamed: Columns that mean something else here: name here -> entry of `COLUMNS`.
        is_written: The table is part of a result folder.
        is_unique: The key is unique.
    """

    name: str
    row: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    required: frozenset[str] = frozenset()
    renamed: dict[str, str] = field(default_factory=dict, hash=False)
    is_written: bool = True
    is_unique: bool = True
    nullable_key: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """All column names, keys first."""
        return self.key + self.values

    def column(self, name: str) -> Column:
        """Return what the column `name` holds in this table."""
        return COLUMNS[self.renamed.get(name, name)]

    @property
    def dtypes(self) -> dict[str, pl.DataType]:
        """Polars schema of the table."""
        return {name: self.column(name).dtype for name in self.columns}  # type: ignore[misc]

    def empty(self) -> pl.DataFrame:
        """Return the table without rows."""
        return pl.DataFrame(schema=self.dtypes)
