"""`grade scorecard`: one model in detail, and what changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.options import Results
from pipelines.places import place_of


class CardForm(StrEnum):
    """How a scorecard is written."""

    MARKDOWN = "markdown"
    HTML = "html"


def scorecard(
    results: Results,
    model: Annotated[str, typer.Option(help="The model.")],
    baseline: Annotated[
        str | None,
        typer.Option(help="Compare with an earlier result, or another model of this result."),
    ] = None,
    baseline_model: Annotated[
        str | None, typer.Option(help="The model of the earlier result. (default: the same)")
    ] = None,
    format: Annotated[CardForm, typer.Option(help="How it is written.")] = CardForm.MARKDOWN,  # noqa: A002
    out: Annotated[Path | None, typer.Option(help="File to write; otherwise stdout.")] = None,
) -> None:
    """Show the scorecard of one model: overall, tracks, packs, tasks, findings.

    With --baseline, every score comes with its change in percentage points, and the change of the
    composite with a test of whether it is more than noise.
    """
    from pipelines.desk.cards import html_card, markdown_card
    from pipelines.desk.report import write_text

    render = html_card if format is CardForm.HTML else markdown_card
    text = render(place_of(results), model, baseline, baseline_model)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        typer.echo(str(out))
