"""`grade export`: a result in the formats that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from pipelines.commands.options import Results
from pipelines.exports.registry import exporters, run_export
from pipelines.places import place_of

_FORMATS: Final = "; ".join(f"{exporter.name}: {exporter.summary}" for exporter in exporters())


def export(
    results: Results,
    to: Annotated[str, typer.Option(help=f"The format. {_FORMATS}.")],
    out: Annotated[Path, typer.Option(help="Folder to write: new, empty, or an earlier export.")],
    table: Annotated[
        list[str] | None, typer.Option(help="Export this table only; may be repeated. (default: all)")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Narrow report and eee files to one model.")] = None,
    task: Annotated[str | None, typer.Option(help="Narrow report files to one task.")] = None,
    partition_by: Annotated[
        str | None,
        typer.Option(
            help="For parquet: cut every table that has this column into folders, one for each value,"
            " such as model_id=acme%2Fmodel-a."
        ),
    ] = None,
    schema: Annotated[
        list[Path] | None,
        typer.Option(
            help="For eee: a published schema that every file must keep to; may be repeated."
            " (default: those of every_eval_ever where it is installed)"
        ),
    ] = None,
    organization: Annotated[
        str | None, typer.Option(help="For eee: who reports the result. (default: unknown)")
    ] = None,
    relationship: Annotated[
        str | None,
        typer.Option(
            help="For eee: how they stand to the models' developers: first_party, third_party,"
            " collaborative or other. (default: other)"
        ),
    ] = None,
) -> None:
    """Write a result in another format, with a data dictionary beside it.

    Text that a spreadsheet would run as a formula is made harmless in csv and xlsx: an apostrophe
    stands before it.
    """
    options = {
        "tables": table,
        "model": model,
        "task": task,
        "partition_by": partition_by,
        "schema": schema,
        "organization": organization,
        "relationship": relationship,
    }
    run_export(to, place_of(results), out, options)
    typer.echo(str(out))
