"""`grade diff`: what changed between two results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.options import Quiet, Results
from pipelines.places import place_of


def diff(
    old: Results,
    new: Annotated[str, typer.Argument(help="The result to compare it with, likewise.")],
    out: Annotated[Path, typer.Option(help="Folder for the report: new, empty, or an earlier report.")],
    quiet: Quiet = False,
) -> None:
    """Compare two results: flips with both evidences, scores, ranks, and what is beyond noise.

    Writes changes.md to read, and the tables fact_flips, claim_flips, decision_flips,
    score_changes, model_changes and change_summary as Parquet. A model's change is beyond noise
    when a paired permutation test over tasks says so at 5 %, corrected for the number of models.

    Ends with 0 when nothing changed, 1 when something did, and 2 when a folder is no result.
    """
    from pipelines.diff import diff as compare
    from pipelines.progress import make_progress

    difference = compare(place_of(old), place_of(new), out, progress=make_progress(is_quiet=quiet))
    for name, count in difference.counts.items():
        typer.echo(f"{name:<46}{count:>10,}")
    typer.echo(f"report: {difference.report}")
    if not difference.is_same:
        raise typer.Exit(1)
