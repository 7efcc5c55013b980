"""`grade report`: a result as one HTML file to read and to pass on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.options import Results
from pipelines.places import place_of


def report(
    results: Results,
    html: Annotated[Path, typer.Option(help="The file to write.")],
) -> None:
    """Write a report as one HTML file that opens offline.

    It holds the leaderboard, dimensions with intervals, differences, tasks, tracks and packs, what
    was missed and what was claimed wrongly with evidence, decisions, findings, stability, cost,
    what was refused or not measured, and the method's settings.
    """
    from pipelines.desk.report import write_report

    write_report(place_of(results), html)
    typer.echo(str(html))
