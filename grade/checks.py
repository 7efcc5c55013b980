"""Invariants of a result folder as queries: each selects the rows that break one; none is a pass."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from grade.db import Database, list_sql, opened, reads
from grade.errors import ContractError
from grade.levels import dimension_frame

_FOLDER = "checks"


def failing_rows(
    tables: Mapping[str, pl.DataFrame], *, database: Database | None = None
) -> dict[str, pl.DataFrame]:
    """Run every check whose tables are at hand.

    Args:
        tables: Tables of a result by name; a check that reads another one is left out.
        database: An open database to use; one is opened and closed if none is given.

    Returns:
        The failing rows by check, for the checks that failed only.
    """
    frames = {"dimensions": dimension_frame(), **tables}
    with opened(database) as db:
        results = {
            name.removeprefix(f"{_FOLDER}/"): db.query(name, {table: frames[table] for table in reads(name)})
            for name in list_sql(_FOLDER)
            if frames.keys() >= set(reads(name))
        }
    return {name: rows for name, rows in results.items() if not rows.is_empty()}


def require_sound(tables: Mapping[str, pl.DataFrame], *, database: Database | None = None) -> None:
    """Stop when a table breaks an invariant; see `failing_rows`.

    Raises:
        ContractError: Names each check that failed, with its first rows.
    """
    failed = failing_rows(tables, database=database)
    if failed:
        lines = [
            f"{name} ({rows.height} rows), first: {rows.row(0, named=True)}" for name, rows in failed.items()
        ]
        raise ContractError("invariants of the result do not hold:\n" + "\n".join(lines))
