"""`grade import`: answers that other programs collected become runs to score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from grade.errors import RejectsError
from pipelines.commands.options import Quiet
from pipelines.imports.registry import AUTO, readers

if TYPE_CHECKING:
    from pipelines.imports.run import Imported

_FORMATS: Final = "; ".join(f"{reader.name}: {reader.summary}" for reader in readers())


def import_(
    format_name: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"{AUTO}: told from each file; {_FORMATS}.")
    ],
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders or globs; .gz and .zst may follow an ending.")
    ],
    out: Annotated[Path, typer.Option(help="Run file to write, .jsonl: new, or an earlier import.")],
    task_field: Annotated[
        str | None, typer.Option(help="Where a record names its task, such as doc.task_id.")
    ] = None,
    model_field: Annotated[str | None, typer.Option(help="Where a record names its model.")] = None,
    run_field: Annotated[str | None, typer.Option(help="Where a record numbers its run, from 0.")] = None,
    model: Annotated[str | None, typer.Option(help="The model of all answers.")] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            help="How file names, or ids of records, are made: such as {model}/{task}/{run}.md; {any} too."
        ),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="CSV or JSON with file (or id), task, model and run of each answer.")
    ] = None,
    text_field: Annotated[
        str | None, typer.Option(help="text: the field of a JSON record with the answer.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="table: NAME=COLUMN, such as task_id=item; may be repeated.")
    ] = None,
    packs: Annotated[
        Path | None, typer.Option(help="Folder with tasks; answers to others are left out.")
    ] = None,
    originals: Annotated[
        bool, typer.Option("--originals/--no-originals", help="Keep the original record with each run.")
    ] = True,
    report: Annotated[Path | None, typer.Option(help="JSON lines of all that was skipped, and why.")] = None,
    max_skipped: Annotated[
        int, typer.Option(min=0, help="Faulty records that still let the command end with 0.")
    ] = 0,
    quiet: Quiet = False,
) -> None:
    """Import answers from other programs' files into a run file for `grade score`.

    Each raw answer is read into findings, caveats, metrics and citations, with the place of each in
    the text. Tells what was read and what was skipped, by reason.

    Ends with 0 when done, 2 when an input or the output stops everything, and 3 when done but more
    records were faulty than --max-skipped allows.
    """
    from pipelines.imports.keys import KeyOptions
    from pipelines.imports.report import write_report
    from pipelines.imports.run import ImportRequest, import_answers
    from pipelines.imports.table import parse_columns
    from pipelines.progress import make_progress, since_last

    request = ImportRequest(
        format_name=format_name,
        paths=tuple(paths),
        out=out,
        keys=KeyOptions(
            task_field=task_field,
            model_field=model_field,
            run_field=run_field,
            model=model,
            pattern=pattern,
            mapping=mapping,
        ),
        packs=packs,
        options={"text_field": text_field, "columns": parse_columns(column or [])},
        keeps_originals=originals,
    )
    with make_progress(is_quiet=quiet).step("importing", unit="records") as advance:
        done = import_answers(request, on_progress=since_last(advance))
    if report is not None:
        write_report(done, report)
    _tell(done, out, max_skipped)


def _tell(done: Imported, out: Path, max_skipped: int) -> None:
    from pipelines.imports.report import summary_lines

    for line in summary_lines(done):
        typer.echo(line)
    if done.n_faults > max_skipped:
        first = next(one for one in done.skipped if one.reason in done.faults)
        raise RejectsError(
            f"{done.n_faults:,} records could not be imported; everything else is in {out}",
            where=f"first: {first.file}" + (f", line {first.line}" if first.line else ""),
            got=f"{first.reason}: {first.detail}" if first.detail else first.reason,
            expected=f"at most {max_skipped:,}",
            hint="--report FILE lists them all; --max-skipped N accepts them",
        )
