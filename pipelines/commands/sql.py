"""`grade sql`: questions to a result folder, in SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from grade.errors import InputError
from pipelines.commands.options import Results
from pipelines.desk.formats import Format
from pipelines.places import place_of


def sql(
    results: Results,
    query: Annotated[
        str | None, typer.Argument(help="One SELECT; without it, a prompt opens or stdin is read.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="File with one SELECT.")] = None,
    format: Annotated[Format, typer.Option(help="How the rows are written.")] = Format.TABLE,  # noqa: A002
    out: Annotated[Path | None, typer.Option(help="File for the rows; otherwise stdout.")] = None,
    list_tables: Annotated[
        bool, typer.Option("--list", help="Show the tables and views instead; with --table its columns.")
    ] = False,
    table: Annotated[str, typer.Option(help="With --list: the table whose columns are shown.")] = "",
    threads: Annotated[int | None, typer.Option(min=1, help="Threads to use. (default: all cores)")] = None,
) -> None:
    """Ask questions of a result folder in SQL.

    Every table is a view under its name; leaderboard, fact_misses, forbidden_claims_made,
    unstable_tasks and coverage answer common questions. Queries read these and nothing else: no
    other file, no network, no change. In CSV, text that a spreadsheet would run is made harmless.
    """
    from rich.console import Console

    from pipelines.desk.folder import open_result
    from pipelines.desk.listing import print_dictionary
    from pipelines.desk.output import show
    from pipelines.desk.prompt import converse
    from pipelines.desk.session import Session

    console = Console() if sys.stdout.isatty() else Console(width=200)
    with Session(open_result(place_of(results)), threads=threads) as session:
        if list_tables or table:
            print_dictionary(session.dictionary(), console, table)
            return
        text = _query_text(query, file)
        if text is None:
            converse(session, console)
        else:
            show(session.select(text), format, out=out, console=console)
            if out is not None:
                typer.echo(str(out))


def _query_text(query: str | None, file: Path | None) -> str | None:
    if query is not None and file is not None:
        raise InputError("there are two queries", got="a query and --file", expected="one of them")
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise InputError("the query file cannot be read", where=str(file), got=str(fault)) from fault
    if query is None and not sys.stdin.isatty():
        return sys.stdin.read()
    return query
