"""`grade leaderboard`: who stands where, over one or several results."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.places import place_of

if TYPE_CHECKING:
    import polars as pl


class Form(StrEnum):
    """How a leaderboard is written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"


def leaderboard(
    results: Annotated[list[str], typer.Argument(help="Results: folders, or s3://BUCKET/PREFIX.")],
    track: Annotated[
        list[int] | None, typer.Option(help="Only tasks of this track; may be repeated.")
    ] = None,
    pack: Annotated[list[str] | None, typer.Option(help="Only tasks of this pack; may be repeated.")] = None,
    sort: Annotated[
        str,
        typer.Option(help="Column to sort by within a section: rank, model_id, a dimension, cost_usd ..."),
    ] = "rank",
    format: Annotated[Form, typer.Option(help="How it is written.")] = Form.TABLE,  # noqa: A002
    out: Annotated[Path | None, typer.Option(help="File to write; otherwise stdout.")] = None,
) -> None:
    """Rank models with intervals, over all tasks or those of some tracks and packs.

    Models that were not measured alike (other tasks, dimensions, share of claims judged, or other
    packs and settings) stand in sections of their own, each with the reason.
    """
    from rich.console import Console

    from grade.report.standings import standings_view
    from pipelines.desk.standings import Choice, read_standings

    choice = Choice(tuple(track or ()), tuple(pack or ()), sort)
    standings = read_standings([place_of(one) for one in results], choice)
    if format is Form.TABLE and out is None:
        console = Console() if sys.stdout.isatty() else Console(width=160)
        console.print(standings_view(standings))
    else:
        _write(_render(standings, format), out)


def _render(standings: pl.DataFrame, form: Form) -> str:
    from grade.report.html.board import render_board
    from grade.report.standings import standings_json, standings_markdown
    from pipelines.desk.report import load_assets

    match form:
        case Form.HTML:
            return render_board(standings, load_assets())
        case Form.JSON:
            return standings_json(standings)
        case Form.MARKDOWN | Form.TABLE:
            return standings_markdown(standings)


def _write(text: str, out: Path | None) -> None:
    from pipelines.desk.report import write_text

    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        typer.echo(str(out))
