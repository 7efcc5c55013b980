"""The command `grade`: every command by name; each reads its options and calls one function.

Results go to stdout, everything else to stderr. Heavy modules load inside the commands, so that
`--help` is instant and `--threads` is heard before the engines start.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from grade.errors import GradeError
from pipelines.commands import judge, packs
from pipelines.commands.decide import decide, gate
from pipelines.commands.diff import diff
from pipelines.commands.export import export
from pipelines.commands.imports import import_
from pipelines.commands.leaderboard import leaderboard
from pipelines.commands.report import report
from pipelines.commands.review import review_app
from pipelines.commands.scorecard import scorecard
from pipelines.commands.scoring import demo, rescore, score
from pipelines.commands.sql import sql
from pipelines.commands.store import ingest
from pipelines.commands.verify import verify

app = typer.Typer(
    name="grade",
    help="Score language models' answers to analytics questions about education-program data.",
    epilog="Begin with: grade demo --out demo-result",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: Final = {
    "Score": (score, ingest, rescore, demo),
    "Read a result": (leaderboard, scorecard, report, diff, sql, export),
    "Decide": (decide, gate, verify),
}

for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)
app.command(name="import", rich_help_panel="Score")(import_)
app.add_typer(review_app, name="review", rich_help_panel="Decide")
app.add_typer(judge.app, name="judge", rich_help_panel="Score")
app.add_typer(packs.app, name="packs", rich_help_panel="Score")


def _show_version(value: bool) -> None:
    if value:
        from pipelines.manifest import grade_version

        typer.echo(f"grade {grade_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; an error of the user's is told without a traceback."""
    # Matrices are small here, and threads of linear algebra would take the cores from everybody else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except GradeError as fault:
        typer.echo(f"grade: {fault.render()}", err=True)
        sys.exit(fault.exit_code)
