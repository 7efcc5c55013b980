"""Run a pack's SQL where it can see the pack's tables and nothing else.

The SQL beside a gold fact comes with the pack, so it is run in an in-memory DuckDB that reads no
files, sees no Python variables and accepts SELECT only. Values reach it as parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

import duckdb
import polars as pl

from grade.errors import InputError

Scalar = str | int | float | bool | None

_SELECT = duckdb.StatementType.SELECT
_CREATE = duckdb.StatementType.CREATE


class SqlError(InputError):
    """SQL of a pack that cannot be run, or that gives something else than asked for."""


class Sandbox:
    """An in-memory database of one pack's tables and measures.

    Args:
        tables: The pack's tables, by name.
        measures: SQL text of CREATE VIEW statements, one for each measure of the pack.
    """

    def __init__(self, tables: Mapping[str, pl.DataFrame], measures: str = "") -> None:
        self._connection = duckdb.connect(":memory:", config={"threads": "1", "memory_limit": "1GB"})
        self._connection.execute("SET python_enable_replacements = false")
        self._connection.execute("SET enable_external_access = false")
        for name, frame in tables.items():
            self._load(name, frame)
        self._connection.execute("SET lock_configuration = true")
        self._define(measures)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the database."""
        self._connection.close()

    def scalar(self, sql: str, parameters: Mapping[str, Scalar] | None = None) -> Scalar:
        """Return the one value that a SELECT gives.

        Raises:
            SqlError: It is no single SELECT, cannot run, or gives other than one row of one value.
        """
        rows = self.rows(sql, parameters)
        if len(rows) != 1 or len(rows[0]) != 1:
            shape = f"{len(rows)} rows of {len(rows[0]) if rows else 0} columns"
            raise SqlError("the SQL does not give one value", got=shape, expected="1 row of 1 column")
        return _plain(rows[0][0])

    def rows(self, sql: str, parameters: Mapping[str, Scalar] | None = None) -> list[tuple[object, ...]]:
        """Return the rows that a single SELECT gives.

        Raises:
            SqlError: It is no single SELECT, or cannot run.
        """
        statements = self._statements(sql)
        if len(statements) != 1 or statements[0].type != _SELECT:
            raise SqlError("the SQL is not one SELECT", got=sql, hint="write a single SELECT statement")
        try:
            return self._connection.execute(statements[0], dict(parameters or {})).fetchall()
        except duckdb.Error as error:
            raise SqlError("the SQL cannot be run", got=sql, hint=_first_line(error)) from error

    def _load(self, name: str, frame: pl.DataFrame) -> None:
        quoted = '"' + name.replace('"', '""') + '"'
        self._connection.from_arrow(frame.to_arrow()).create(quoted)

    def _define(self, measures: str) -> None:
        for statement in self._statements(measures):
            if statement.type != _CREATE:
                raise SqlError(
                    "a measure is not a view",
                    got=statement.query.strip(),
                    expected="CREATE VIEW ... AS SELECT",
                )
            try:
                self._connection.execute(statement)
            except duckdb.Error as error:
                raise SqlError(
                    "a measure cannot be defined", got=statement.query.strip(), hint=_first_line(error)
                ) from error

    def _statements(self, sql: str) -> list[duckdb.Statement]:
        try:
            return self._connection.extract_statements(sql)
        except duckdb.Error as error:
            raise SqlError("the SQL cannot be read", got=sql, hint=_first_line(error)) from error


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def _plain(value: object) -> Scalar:
    """Return a database value as text, a number, true, false or nothing."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    try:
        return float(str(value))
    except ValueError:
        return str(value)
