"""Export to one DuckDB file: tables, the convenience views, and comments on every column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import duckdb

from grade.levels import dimension_frame
from pipelines.desk.views import find_views
from pipelines.exports.tidy import Export, exporting
from pipelines.places import Place

FILE: Final = "result.duckdb"


def export_duckdb(results: Place, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write `result.duckdb`; see `pipelines.exports.tidy.exporting`."""
    with (
        exporting(results, out, tables, to="duckdb") as export,
        duckdb.connect(str(export.folder / FILE)) as connection,
    ):
        connection.execute("SET TimeZone = 'UTC'")
        _add_tables(connection, export)
        for view in find_views({*export.tables, "dimensions"}):
            connection.execute(f"CREATE VIEW {_quoted(view.name)} AS {view.sql}")
            connection.execute(f"COMMENT ON VIEW {_quoted(view.name)} IS {_literal(view.row)}")


def _add_tables(connection: duckdb.DuckDBPyConnection, export: Export) -> None:
    for name, frame in (("dimensions", dimension_frame()), ("data_dictionary", export.dictionary)):
        connection.from_arrow(frame.to_arrow()).create(name)
    for name in export.tables:
        connection.from_arrow(export.result.dataset(name)).create(name)
    for row in export.dictionary.rows(named=True):
        place = f"{_quoted(row['table'])}.{_quoted(row['column'])}"
        connection.execute(f"COMMENT ON COLUMN {place} IS {_literal(row['note'])}")
    for name, row in export.dictionary.select("table", "row").unique(maintain_order=True).rows():
        connection.execute(f"COMMENT ON TABLE {_quoted(name)} IS {_literal(row)}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    """Quote a note; COMMENT takes no parameters."""
    return "'" + text.replace("'", "''") + "'"
