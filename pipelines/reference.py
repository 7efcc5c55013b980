"""Write the reference pages in `docs/reference` from the declarations that they describe.

Each page is made from one source: tables from the contracts, commands from the Typer app, settings
from their fields, reject reasons from their list. So no page can say anything but what runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Final

import polars as pl

from grade import schemas
from grade.dictionary import describe_tables
from grade.diff.tables import DIFF_TABLES, GROUP_CHANGES
from grade.ingest.reasons import REASONS
from grade.settings import Settings
from grade.table import Table
from pipelines.desk.folder import open_result
from pipelines.desk.session import Session
from pipelines.reference_cli import cli_page

_MADE: Final = "<!-- Made by `make docs` from {source}; change it there. -->"
_FAR: Final = 2**40
_CONTRACTS: Final[dict[str, Table]] = {
    table.name: table
    for group in ("RESULT_TABLES", "INNER_TABLES", *sorted(vars(schemas)))
    if group.endswith("_TABLES") and not group.startswith("_")
    for table in getattr(schemas, group)
} | {table.name: table for table in (*DIFF_TABLES, GROUP_CHANGES)}
"""Every table that `grade.schemas` gathers in one of its tuples, and those of `grade diff`."""

_DUCKDB_TYPES: Final = {
    "varchar": "text",
    "bigint": "whole number",
    "double": "number",
    "boolean": "true or false",
    "varchar[]": "list of text",
}


def pages() -> dict[str, str]:
    """Return the text of every reference page, by file name."""
    return {
        "tables.md": tables_page(),
        "cli.md": f"{_made('pipelines/cli.py')}\n\n{cli_page()}",
        "settings.md": settings_page(),
        "reject-reasons.md": reasons_page(),
    }


def write_pages(folder: Path) -> None:
    """Write every reference page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def tables_page() -> str:
    """Describe every table: what a row is, its key, and each column."""
    everything = _result_dictionary()
    is_written = pl.col("table").is_in([table.name for table in schemas.RESULT_TABLES])
    inner = describe_tables(table for table in _CONTRACTS.values() if table not in schemas.RESULT_TABLES)
    groups = {
        "Tables in a result folder": everything.filter(is_written),
        "Views that `grade sql` adds": everything.filter(~is_written).with_columns(_of_view()),
        "Tables in no result folder: between stages, of judging, of a change report": inner,
    }
    parts = [_made("grade/schemas.py, grade/columns.py and sql/views"), "# Tables", _TABLES_INTRO]
    parts += [_index(title, dictionary) for title, dictionary in groups.items()]
    parts += [section for dictionary in groups.values() for section in _sections(dictionary)]
    return "\n\n".join(parts) + "\n"


def settings_page() -> str:
    """Describe every setting: its default, its range, what it does."""
    rows = [
        (
            f"`{spec.name}`",
            f"{spec.default:,}",
            _range((spec.metadata["low"], spec.metadata["high"])),
            "yes" if spec.metadata["is_method"] else "no",
            spec.metadata["note"],
        )
        for spec in fields(Settings)
    ]
    header = ("setting", "default", "range", "scores depend on it", "meaning")
    return "\n\n".join(
        [_made("grade/settings.py"), "# Settings", _SETTINGS_INTRO, _table(header, rows), _SETTINGS_END, ""]
    )


def reasons_page() -> str:
    """List every code that a refused record may carry."""
    rows = [(f"`{code}`", text) for code, text in REASONS.items()]
    parts = [_made("grade/ingest/reasons.py"), "# Reject reasons", _REASONS_INTRO]
    return "\n\n".join([*parts, _table(("code", "what it says"), rows), ""])


def _made(source: str) -> str:
    return _MADE.format(source=source)


def _result_dictionary() -> pl.DataFrame:
    """The dictionary of a result folder, views included, as `grade sql --list` shows it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for table in schemas.RESULT_TABLES:
            table.empty().write_parquet(folder / f"{table.name}.parquet")
        with Session(open_result(folder)) as session:
            return session.dictionary()


def _of_view() -> tuple[pl.Expr, pl.Expr]:
    """A view's types in the words of the tables, and its row without an article like theirs."""
    return (
        pl.col("type").replace(_DUCKDB_TYPES),
        pl.concat_str(pl.lit("one for each "), pl.col("row").str.replace("^an? ", "")).alias("row"),
    )


def _index(title: str, dictionary: pl.DataFrame) -> str:
    rows = dictionary.select("table", "row").unique(maintain_order=True).rows()
    listed = [(f"[`{name}`](#{name})", row) for name, row in rows]
    return f"## {title}\n\n{_table(('table', 'a row is'), listed)}"


def _sections(dictionary: pl.DataFrame) -> Iterator[str]:
    for (name,), columns in dictionary.group_by("table", maintain_order=True):
        table = _CONTRACTS.get(str(name))
        rows = [_column_row(table, row) for row in columns.rows(named=True)]
        lines = [f"## {name}", f"A row is {columns['row'][0]}.", _key_line(table)]
        header = ("column", "type", "unit, range", "null", "meaning")
        yield "\n\n".join([*(line for line in lines if line), _table(header, rows)])


def _key_line(table: Table | None) -> str:
    if table is None:
        return ""
    key = ", ".join(f"`{name}`" for name in table.key)
    if table.is_unique:
        return f"Key: {key}. Rows are sorted by it, and each key occurs once."
    return f"Sorted by {key}; several rows may share them."


def _column_row(table: Table | None, row: dict[str, object]) -> tuple[str, ...]:
    name = str(row["column"])
    bounds = table.column(name).bounds if table else None
    measure = ", ".join(part for part in (str(row["unit"] or ""), _range(bounds)) if part)
    values = f" One of: {_listed(str(row['values']))}." if row["values"] else ""
    null = "" if table is None else "yes" if row["may_be_null"] else "no"
    return f"`{name}`", str(row["type"]), measure, null, f"{row['note']}{values}"


def _listed(values: str) -> str:
    return ", ".join(f"`{value}`" for value in values.split(", "))


def _range(bounds: tuple[float, float] | None) -> str:
    """Say a range, leaving out an end that no real value comes near."""
    if bounds is None:
        return ""
    low, high = (f"{bound:,.15g}" for bound in bounds)
    return f"from {low}" if bounds[1] > _FAR else f"{low} to {high}"


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


_TABLES_INTRO: Final = """\
`grade score` writes one Parquet file per table, `<table>.parquet`, beside the reports and the manifest.
Every table has one meaning per row, its key columns first, and the same column name means the same thing
wherever it stands, unless its meaning below says otherwise. The same inputs give the same bytes.

- **text** is `VARCHAR` in DuckDB and `String` in polars, **whole number** `BIGINT` and `Int64`, **number**
  `DOUBLE` and `Float64`, **true or false** `BOOLEAN`; a **record** is a `STRUCT`.
- **null** means not measured, not given or not applicable. It is never a 0 in disguise, and no number is NaN.
- A **group** is all runs of one model on one task.

`grade sql RESULTS --list` shows the same dictionary on the terminal, and each Parquet file carries its part
of it in its own metadata. What the numbers mean and how they come about is in
[the methodology](../methodology.md)."""

_SETTINGS_INTRO: Final = """\
Give a TOML file with `--settings FILE` to `grade score`; one line sets one setting, and what is not set keeps
its default. A name that is not in this list stops the command and names the nearest one. The manifest of a
result holds every setting that scores depend on, with a hash of them."""

_SETTINGS_END: Final = """\
```toml
confidence_threshold = 0.8
max_rejects = 10
```

Weights, thresholds of matching and conversions are no settings: they are the method, and results with other
ones would not compare. [The methodology](../methodology.md) says what they are and why. What a decision rests
on is a policy, see [how to decide](../how-to/decide.md)."""

_REASONS_INTRO: Final = """\
A record that cannot be used is refused with a code, its file, line and byte offset, a sentence of detail and
its first 2,000 bytes, all in `rejects.parquet`; its neighbours are scored. Records in = runs + copies of
runs + rejects, and the manifest shows the sum. `--max-rejects N` says how many refused records still let
the command end with 0; beyond that it ends with 3, with everything else scored and written.

Tasks are different: a broken task file stops the command, because every score would rest on it."""


if __name__ == "__main__":
    write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
