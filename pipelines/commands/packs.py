"""`grade packs`: build, check and try out benchmark packs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

app = typer.Typer(help="Build and check benchmark packs.", no_args_is_help=True)

_SEED: Final = 42


@app.command("build")
def build_pack(
    out: Annotated[Path, typer.Option(help="Folder to write the packs to.")],
    seed: Annotated[int, typer.Option(help="Seed of the generator; the packs that ship have 42.")] = _SEED,
) -> None:
    """Generate the fictional program's data and the packs on it."""
    from pipelines.packs.build import build_packs

    build_packs(seed, out)
    typer.echo(str(out))


@app.command("check")
def check_pack(packs: Annotated[Path, typer.Argument(help="Folder with packs.")]) -> None:
    """Check packs: hashes, gold facts against the data, rubric weights; ends with 1 when one is wrong."""
    from pipelines.packs.check import check_packs

    problems = check_packs(packs)
    for row in problems.rows(named=True):
        place = "/".join(part for part in (row["pack_id"], row["task_id"], row["field"]) if part)
        typer.echo(f"{place}: {row['problem']} ({row['hint']})")
    if not problems.is_empty():
        raise typer.Exit(1)
    typer.echo("nothing is wrong")


@app.command("simulate")
def simulate_runs(
    packs: Annotated[Path, typer.Option(help="Folder with packs.")],
    out: Annotated[Path, typer.Option(help="Folder to write runs and verdicts to.")],
    seed: Annotated[int, typer.Option(help="Seed of the simulation; the runs that ship have 42.")] = _SEED,
) -> None:
    """Simulate models' answers and judges' verdicts with known error rates, to try the scorer on."""
    from pipelines.simulate.build import build_runs

    build_runs(packs, out, seed)
    typer.echo(str(out))
