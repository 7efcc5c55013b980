"""`grade verify`: is a result what its inputs give?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.options import Results, use_threads
from pipelines.places import place_of


def verify(
    results: Results,
    inputs: Annotated[
        Path | None,
        typer.Option(
            help="Folder to look for the inputs in, by name or by content."
            " (default: where they were when the result was made)"
        ),
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="Differing rows or lines to show per file.")] = 3,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads to use; nothing depends on it. (default: all cores)")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing on stderr but errors.")] = False,
) -> None:
    """Derive a result again from the inputs that its manifest names, and say what differs.

    The inputs must have the recorded hashes. Everything is scored, rolled up and decided anew in
    a temporary folder; the result is only read.

    Ends with 0 when the result is what its inputs give, 1 when something differs, and 2 when an
    input is missing or has changed.
    """
    use_threads(threads)
    from pipelines.progress import make_progress
    from pipelines.verify import verify as verify_result

    progress = make_progress(is_quiet=quiet)
    outcome = verify_result(
        place_of(results), inputs=inputs, n_shown=rows, threads=threads, progress=progress
    )
    for note in outcome.notes:
        progress.say(note)
    for difference in outcome.differences:
        typer.echo(f"{difference.file}: {difference.what}")
        for detail in difference.details:
            typer.echo(f"  {detail}")
    if outcome.differences:
        typer.echo(f"{len(outcome.differences)} of {outcome.n_files} files differ from what the inputs give")
        raise typer.Exit(1)
    typer.echo(
        f"all {outcome.n_files} files are what the {outcome.n_inputs} input files give: nothing differs"
    )
