"""`grade review`: what a person should look at, and the person's verdicts back in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from grade.errors import RejectsError
from pipelines.commands.options import Results
from pipelines.places import place_of

review_app = typer.Typer(help="Have people judge what matters most.", no_args_is_help=True)

_LIMIT: Final = 100


@review_app.command("queue")
def queue(
    results: Results,
    out: Annotated[Path, typer.Option(help="File for the queue: .csv for a spreadsheet, or .jsonl.")],
    limit: Annotated[int, typer.Option(min=1, help="Most items.")] = _LIMIT,
) -> None:
    """List what a person should look at, the most valuable first, with the evidence.

    Fill in the column score: pass, partial or fail (or 1 to 5); for a claim, pass means that the
    answer makes it. Rows without a score are left alone. Then: grade review apply FILE --name NAME
    """
    from pipelines.review import write_queue

    n_items = write_queue(place_of(results), out, limit=limit)
    typer.echo(f"{n_items} items in {out}")


@review_app.command("apply")
def apply(
    file: Annotated[Path, typer.Argument(help="A queue with scores filled in.")],
    results: Annotated[
        str | None, typer.Option(help="The result. (default: the one that the queue came from)")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Who judged. (default: what judge_id says in each row)")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File for the verdicts. (default: FILE with the ending .verdicts.jsonl)"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing on stderr but errors.")] = False,
) -> None:
    """Take a person's verdicts in; they decide, also against a match, and the result says what changed.

    Scores the result's own inputs again with the verdicts beside them, so runs, packs and earlier
    verdicts must still be where they were. Ends with 3 when some of the verdicts were refused.
    """
    from pipelines.progress import make_progress
    from pipelines.review import apply_review, changed_lines

    progress = make_progress(is_quiet=quiet)
    named = None if results is None else place_of(results)
    applied = apply_review(file, results=named, person=name, out=out, progress=progress)
    for line in changed_lines(applied):
        typer.echo(line)
    progress.say(f"{applied.n_verdicts} verdicts in {applied.verdicts}; they are an input of the result now")
    if applied.has_other_inputs:
        progress.say("runs or packs are not the ones that were scored before: other scores moved too")
    if applied.rejects.height:
        first = applied.rejects.row(0, named=True)
        raise RejectsError(
            f"{applied.rejects.height} of {applied.n_verdicts} verdicts were refused; the others count",
            where=f"{first['file']}, line {first['line']}",
            got=f"{first['reason']}: {first['detail']}",
        )
