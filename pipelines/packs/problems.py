"""What is wrong with a pack, one row per problem, told so that an author can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

PROBLEMS: Final = {
    "pack_id": pl.String,
    "task_id": pl.String,
    "field": pl.String,
    "problem": pl.String,
    "hint": pl.String,
}
"""Columns of the table of problems."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One thing that is wrong.

    Args:
        field: File or field of a task, such as `gold_facts.F2.sql`.
        problem: What is wrong with it, with what was found.
        hint: What to do about it.
        task_id: The task, None when the problem is not in a task.
        pack_id: The pack; filled in by the check of the whole pack.
    """

    field: str
    problem: str
    hint: str
    task_id: str | None = None
    pack_id: str = ""

    def at(self, *, task_id: str | None = None, pack_id: str | None = None) -> Problem:
        """Return the problem with its task or pack filled in."""
        return replace(self, task_id=task_id or self.task_id, pack_id=pack_id or self.pack_id)


def problem_frame(problems: Iterable[Problem]) -> pl.DataFrame:
    """Return problems as a table with the columns of `PROBLEMS`, sorted; no rows: nothing is wrong."""
    rows = [(p.pack_id, p.task_id, p.field, p.problem, p.hint) for p in problems]
    return pl.DataFrame(rows, schema=PROBLEMS, orient="row").sort(list(PROBLEMS), nulls_last=False)
