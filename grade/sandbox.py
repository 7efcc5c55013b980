"""The database for other people's queries: it answers, and does nothing else.

The tables are handed in; the database itself can reach no file, no network and no extension, its
settings are locked before the first query, and only statements that read are run at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, Self

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds

from grade.errors import InputError
from grade.hints import nearest

_READING: Final = frozenset(
    {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI}
)
"""SELECT holds WITH, FROM, VALUES, SHOW, DESCRIBE and SUMMARIZE too; MULTI is a PIVOT."""

_HIDDEN: Final = re.compile(r"file system operations|external extensions|extension", re.IGNORECASE)
_LARGEST_WHOLE: Final = 2**63 - 1


class SqlError(InputError):
    """A user's query that cannot be run, or may not be."""


class Sandbox:
    """An in-memory DuckDB over the tables handed in, read-only and cut off from everything else.

    Args:
        tables: Frames or Arrow datasets by name; datasets are read as far as a query needs them.
        views: SQL of further views by name; each may read tables and earlier views.
        threads: Threads for a query.
    """

    def __init__(
        self,
        tables: Mapping[str, pl.DataFrame | ds.Dataset],
        views: Mapping[str, str],
        *,
        threads: int | None = None,
    ) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            "allow_community_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "enable_external_access": False,
            "python_enable_replacements": False,
            "temp_directory": "",
        }
        if threads is not None:
            config["threads"] = threads
        self._connection = duckdb.connect(":memory:", config=config)
        self._connection.execute("SET TimeZone = 'UTC'")
        for name, table in tables.items():
            self._connection.register(name, table)
        for name, sql in views.items():
            self._connection.execute(f'CREATE TEMP VIEW "{name}" AS {sql}')
        self._connection.execute("SET lock_configuration = true")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def select(self, sql: str) -> pl.DataFrame:
        """Run one query and collect its result.

        Raises:
            SqlError: It is no single reading statement, or the database refuses it.
        """
        try:
            self._require_reading(sql)
            made = self._connection.sql(sql).to_arrow_table()
        except duckdb.Error as fault:
            raise _explained(fault, self.names()) from fault
        except RuntimeError as fault:
            raise SqlError("the query was stopped", got=str(fault)) from fault
        return _readable(made)

    def columns(self, name: str) -> list[tuple[str, str]]:
        """Return name and SQL type of each column of a table or view."""
        described = self._connection.execute(f'DESCRIBE "{name}"').fetchall()
        return [(row[0], row[1]) for row in described]

    def names(self) -> list[str]:
        """Return the tables and views, sorted."""
        listed = "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name"
        return [row[0] for row in self._connection.execute(listed).fetchall()]

    def _require_reading(self, sql: str) -> None:
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1:
            raise SqlError(
                "one query at a time", got=f"{len(statements)} statements", expected="one SELECT statement"
            )
        kind = statements[0].type
        if kind not in _READING:
            raise SqlError(
                "only queries that read are run here",
                got=f"a statement of kind {kind.name}",
                expected="SELECT, WITH, FROM, VALUES, PIVOT, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN",
                hint="results are read-only; save what a query selects with --format and --out",
            )


def _explained(fault: duckdb.Error, names: Iterable[str]) -> SqlError:
    text = str(fault).strip()
    if isinstance(fault, duckdb.PermissionException) or _HIDDEN.search(text):
        return SqlError(
            "a query reaches nothing but the tables of the result folder",
            got=text.splitlines()[0],
            hint="no other files, no network, no extensions; `grade sql RESULTS --list` shows the tables",
        )
    unknown = re.search(r"Table with name (\S+) does not exist", text)
    if unknown:
        return SqlError(
            "there is no such table",
            got=unknown.group(1),
            expected="one of " + ", ".join(names),
            hint=nearest(unknown.group(1), names),
        )
    return SqlError("the database cannot run this query", got=text, hint="--list shows tables and columns")


def _readable(made: pa.Table) -> pl.DataFrame:
    """Turn sums of whole numbers, which come as decimals, into whole numbers, and the rest into a frame."""
    try:
        frame: pl.DataFrame = pl.DataFrame(made)
    except pl.exceptions.PolarsError as fault:
        raise SqlError(
            "a column of the result has a type that cannot be shown",
            got=str(fault).splitlines()[0].partition(". Hint")[0],
            hint="cast it in the query, for example CAST(x AS VARCHAR)",
        ) from fault
    decimals = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Decimal)]
    return frame.with_columns(_as_number(frame[name]) for name in decimals)


def _as_number(column: pl.Series) -> pl.Series:
    is_whole = isinstance(column.dtype, pl.Decimal) and column.dtype.scale == 0
    largest = column.abs().max() if is_whole else None
    fits = largest is None or int(str(largest)) <= _LARGEST_WHOLE
    return column.cast(pl.Int64 if is_whole and fits else pl.Float64)
