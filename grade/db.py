"""The only place that opens DuckDB: named queries over the frames handed to them, nothing else.

A query is a file below `sql/`, one SELECT each. It sees the frames registered for this one call
and no other table, file, extension or Python variable. Values come in as parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

import duckdb
import polars as pl

from grade.errors import ContractError

_HERE: Final = Path(__file__).resolve().parent
_ROOTS: Final = (_HERE / "_sql", _HERE.parent / "sql")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?")
_READS: Final = re.compile(r"^-- Reads: (.+)$", re.MULTILINE)

Value: TypeAlias = str | int | float | bool | None


class QueryError(ContractError):
    """A query of our own failed: a bug, never a user's fault. The message holds name and SQL."""


def load_sql(name: str) -> str:
    """Return the text of `sql/<name>.sql`, from the installed package or else the checkout.

    Args:
        name: A file name without its ending, such as `task_scores` or `checks/groups_agree`.

    Raises:
        QueryError: There is no such file.
    """
    if _NAME.fullmatch(name):
        for root in _ROOTS:
            path = root / f"{name}.sql"
            if path.is_file():
                return path.read_text(encoding="utf-8")
    raise QueryError(f"there is no query named {name!r}")


def list_sql(folder: str) -> tuple[str, ...]:
    """Return the names of all queries in a folder below `sql/`, sorted."""
    found = next((root / folder for root in _ROOTS if (root / folder).is_dir()), None)
    return tuple(f"{folder}/{path.stem}" for path in sorted(found.glob("*.sql"))) if found else ()


def list_all_sql() -> tuple[str, ...]:
    """Return the names of all queries, sorted."""
    found = next(root for root in _ROOTS if root.is_dir())
    names = (path.relative_to(found).with_suffix("").as_posix() for path in found.rglob("*.sql"))
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def reads(name: str) -> tuple[str, ...]:
    """Return the tables that a query says it reads, from its header.

    Raises:
        QueryError: The file's header has no `-- Reads:` line.
    """
    header = _READS.search(load_sql(name))
    if header is None:
        raise QueryError(f"query {name} does not say what it reads")
    return tuple(table.strip() for table in header.group(1).split(","))


class Database:
    """An empty in-memory DuckDB without access to files, network, extensions or Python variables.

    Opening one costs tens of milliseconds, so work in batches keeps one open.

    Args:
        threads: Threads for a query; no result depends on their number.
        memory_limit: Most memory for a query, such as `1GB`.
    """

    def __init__(self, *, threads: int | None = None, memory_limit: str | None = None) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "enable_external_access": False,
            "python_enable_replacements": False,
            "temp_directory": "",  # else a large query leaves files in the folder that the user stands in
        }
        if threads is not None:
            config["threads"] = threads
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        self._connection = duckdb.connect(":memory:", config=config)
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET lock_configuration = true")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory back; the database cannot be used afterwards."""
        self._connection.close()

    def query(
        self, name: str, frames: Mapping[str, pl.DataFrame], params: Mapping[str, Value] | None = None
    ) -> pl.DataFrame:
        """Run `sql/<name>.sql` over the frames handed in and collect its result.

        Args:
            name: The query.
            frames: The tables that the query may read, by the names it uses.
            params: Values of the query's `$name` parameters.

        Raises:
            QueryError: DuckDB refuses the query; the message holds its name and SQL.
        """
        sql = load_sql(name)
        try:
            for table, frame in frames.items():
                self._connection.register(table, frame)
            result: pl.DataFrame = self._connection.sql(sql, params=dict(params) if params else None).pl()
        except duckdb.Error as fault:
            raise QueryError(f"query {name} failed: {fault}\n{sql}") from fault
        finally:
            for table in frames:
                self._connection.unregister(table)
        return result


def query(
    name: str, frames: Mapping[str, pl.DataFrame], params: Mapping[str, Value] | None = None
) -> pl.DataFrame:
    """Run one named query in a database of its own; see `Database.query`."""
    with Database() as database:
        return database.query(name, frames, params)


@contextmanager
def opened(database: Database | None) -> Iterator[Database]:
    """Yield the database handed in, or a new one that is closed at the end."""
    if database is not None:
        yield database
        return
    with Database() as own:
        yield own
