"""Show the data dictionary on the terminal."""

from __future__ import annotations

import polars as pl
from rich.console import Console
from rich.table import Table

from grade.errors import InputError
from grade.hints import nearest


def print_dictionary(dictionary: pl.DataFrame, console: Console, name: str = "") -> None:
    """Print all tables with what a row is, or the columns of one of them.

    Raises:
        InputError: There is no table of that name.
    """
    console.print(_columns(dictionary, name) if name else _tables(dictionary))
    if not name:
        console.print("Columns: .columns NAME at the prompt, or grade sql RESULTS --list --table NAME")


def _tables(dictionary: pl.DataFrame) -> Table:
    made = Table("table", "one row per", box=None, pad_edge=False)
    for table, row in dictionary.select("table", "row").unique(maintain_order=True).rows():
        made.add_row(table, row)
    return made


def _columns(dictionary: pl.DataFrame, name: str) -> Table:
    chosen = dictionary.filter(pl.col("table") == name)
    if chosen.is_empty():
        known = dictionary["table"].unique(maintain_order=True).to_list()
        raise InputError(
            "there is no such table",
            got=name,
            expected="one of " + ", ".join(known),
            hint=nearest(name, known),
        )
    made = Table("column", "type", "meaning", box=None, pad_edge=False, title_justify="left")
    made.title = f"{name}: one row per {chosen['row'][0].removeprefix('a ').removeprefix('an ')}"
    for row in chosen.rows(named=True):
        key = " (key)" if row["is_key"] else ""
        unit = f" [{row['unit']}]" if row["unit"] else ""
        values = f" One of: {row['values']}." if row["values"] else ""
        made.add_row(row["column"] + key, row["type"] + unit, row["note"] + values)
    return made
