"""What `grade judge` says: counts, failures and tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from grade.errors import GradeError

if TYPE_CHECKING:
    import polars as pl

    from pipelines.judging.collect import Collected
    from pipelines.judging.runner import JudgeOutcome

_OUTCOME_HINT: Final = "run the same command again: it asks only what is missing"


class UnansweredError(GradeError):
    """The work is done, but some questions have no verdict."""

    exit_code = 3


def tell_outcome(outcome: JudgeOutcome) -> None:
    """Say what a run of a judge came to.

    Raises:
        UnansweredError: Some questions got no verdict.
    """
    told = {"questions": outcome.n_questions, "stored before": outcome.n_before}
    told |= {"same family": outcome.n_skipped} if outcome.n_skipped else {}
    told |= {name: outcome.states[name] for name in ("read", "repaired", "unscored")}
    told |= {"missing": outcome.n_missing, "calls": outcome.n_calls}
    tell_counts(told)
    if outcome.usd:
        typer.echo(f"cost: {outcome.usd:.4f} USD")
    _tell_failures(outcome.failures)
    if outcome.stopped:
        typer.echo(f"ended early: {outcome.stopped}", err=True)
    _require_verdicts(outcome.failures.total(), outcome.states["unscored"])


def tell_collected(told: Collected) -> None:
    """Say what became of batch results.

    Raises:
        UnansweredError: Some results hold no verdict.
    """
    counts = {"results": told.n_results, "stored before": told.n_before}
    counts |= {name: told.states[name] for name in ("read", "repaired", "unscored")}
    counts |= {"to repair": told.n_repairs, "failed": told.failures.total()}
    counts |= {"unknown": told.n_unknown, "same family": told.n_same_family}
    tell_counts(counts)
    for path in told.repairs:
        typer.echo(str(path))
    _tell_failures(told.failures)
    _require_verdicts(told.failures.total(), told.states["unscored"])


def tell_counts(counts: dict[str, int]) -> None:
    """Say some counts on one line."""
    typer.echo(", ".join(f"{name}: {count:,}" for name, count in counts.items()))


def _tell_failures(failures: dict[str, int]) -> None:
    for text, count in sorted(failures.items()):
        typer.echo(f"no answer to {count:,}: {text}", err=True)


def _require_verdicts(n_failed: int, n_unscored: int) -> None:
    if n_failed or n_unscored:
        raise UnansweredError(
            "some questions got no verdict",
            got=f"{n_failed:,} without an answer, {n_unscored:,} whose reply could not be read",
            hint=_OUTCOME_HINT
            + (", with --retry-unscored also what could not be read" if n_unscored else ""),
        )


def named(frame: pl.DataFrame) -> pl.DataFrame:
    """Give the row without a judge a name."""
    import polars as pl

    name = "(all judges)" if "n_stale" in frame.columns else "(as scored)"
    return frame.with_columns(pl.col("judge_id").fill_null(name))


def short_validity(validity: pl.DataFrame) -> pl.DataFrame:
    """The table for reading: each share with its interval in one cell."""
    import polars as pl

    names = ("precision", "recall", "f1", "accuracy", "calibration_error")
    shares = [
        pl.format(
            "{} [{}, {}]",
            *(
                pl.col(name + ending).round(3).cast(pl.String).fill_null("–")
                for ending in ("", "_low", "_high")
            ),
        ).alias(name)
        for name in names
    ]
    return validity.select("judge_id", "kind", "n_checks", *shares)


def write_tables(out: Path, tables: dict[str, pl.DataFrame]) -> None:
    """Write tables as Parquet into a folder."""
    from pipelines.write import writing

    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for name, frame in tables.items():
            frame.write_parquet(out / f"{name}.parquet")


def print_table(frame: pl.DataFrame) -> None:
    """Show a table on stdout."""
    from rich.console import Console

    from pipelines.desk.formats import Format
    from pipelines.desk.output import show

    console = Console() if sys.stdout.isatty() else Console(width=200)
    show(frame, Format.TABLE, console=console)
