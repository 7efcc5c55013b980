"""`grade export`: a result in the formats that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from pipelines.exports.registry import exporters, run_export

_FORMATS: Final = "; ".join(f"{exporter.name}: {exporter.summary}" for exporter in exporters())


def export(
    results: Annotated[Path, typer.Argument(help="A result folder.")],
    to: Annotated[str, typer.Option(help=f"The format. {_FORMATS}.")],
    out: Annotated[Path, typer.Option(help="Folder to write: new, empty, or an earlier export.")],
    table: Annotated[
        list[str] | None, typer.Option(help="Export this table only; may be repeated. (default: all)")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Narrow report files to one model.")] = None,
    task: Annotated[str | None, typer.Option(help="Narrow report files to one task.")] = None,
) -> None:
    """Write a result in another format, with a data dictionary beside it.

    Text that a spreadsheet would run as a formula is made harmless in csv and xlsx: an apostrophe
    stands before it.
    """
    run_export(to, results, out, {"tables": table, "model": model, "task": task})
    typer.echo(str(out))
