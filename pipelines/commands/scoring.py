"""`grade score`, `grade rescore` and `grade demo`: from answers to a result folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grade.errors import RejectsError
from grade.settings import Settings, override
from pipelines.commands.options import (
    Full,
    MaxRejects,
    Out,
    Packs,
    PolicyName,
    Quiet,
    Runs,
    SettingsFile,
    Threads,
    Verdicts,
    load_settings,
    use_threads,
)
from pipelines.places import place_of

if TYPE_CHECKING:
    import polars as pl

    from pipelines.score import ScoreOutcome, ScoreRequest


def score(
    runs: Runs,
    packs: Packs,
    out: Out,
    verdicts: Verdicts = None,
    max_rejects: MaxRejects = None,
    settings: SettingsFile = None,
    policy: PolicyName = None,
    full: Full = False,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Score answers and write tables, result files, scorecards and a leaderboard.

    Where --out holds an earlier result, groups that have not changed are taken from it; the result
    is the same. After Ctrl-C, what is finished is taken up by the next attempt, if --out is a folder.

    Ends with 0 when done, 2 when an input or the output stops everything, and 3 when done but
    more records were refused than --max-rejects allows (see rejects.parquet).
    """
    use_threads(threads)
    from pipelines.policies import load_policy
    from pipelines.score import ScoreRequest

    chosen = override(load_settings(settings), {"max_rejects": max_rejects})
    request = ScoreRequest(
        runs=tuple(runs),
        packs=packs,
        verdicts=tuple(verdicts or ()),
        out=place_of(out),
        settings=chosen,
        policy=load_policy(policy),
        threads=threads,
        reuses=not full,
    )
    _score_within_limit(request, chosen, is_quiet=quiet)


def rescore(
    store: Annotated[
        str, typer.Argument(help="A store of runs, made by `grade ingest`: a folder, or s3://BUCKET/PREFIX.")
    ],
    packs: Packs,
    out: Out,
    verdicts: Verdicts = None,
    max_rejects: MaxRejects = None,
    settings: SettingsFile = None,
    policy: PolicyName = None,
    full: Full = False,
    engine: Annotated[
        str,
        typer.Option(
            help="Where runs are scored: local (threads of this command) or ray (a Ray cluster)."
            " The result does not depend on it."
        ),
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            help="Address of a running Ray cluster, such as ray-head:6379."
            " (default: one on this machine, for the time of the command)"
        ),
    ] = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Score the runs of a store; after a change, only what the change touches.

    Groups whose runs, verdicts, gold and settings are those of the earlier result at --out are
    taken from it. The result is the same, byte for byte, as with --full; manifest.json says how
    many groups were taken. After Ctrl-C, what is finished is taken up by the next attempt, if --out
    is a folder.

    Ends with 0 when done, 2 when an input or the output stops everything, and 3 when done but
    more records were refused, by the store too, than --max-rejects allows (see rejects.parquet).
    """
    use_threads(threads)
    from pipelines.engines.engine import find_engine
    from pipelines.policies import load_policy
    from pipelines.score import ScoreRequest

    chosen = override(load_settings(settings), {"max_rejects": max_rejects})
    request = ScoreRequest(
        store=place_of(store),
        packs=packs,
        verdicts=tuple(verdicts or ()),
        out=place_of(out),
        settings=chosen,
        policy=load_policy(policy),
        threads=threads,
        engine=find_engine(engine, out=place_of(out), address=address),
        reuses=not full,
    )
    _score_within_limit(request, chosen, is_quiet=quiet)


def demo(out: Out = "out/demo", threads: Threads = None, quiet: Quiet = False) -> None:
    """Score the simulated answers that ship with grade and show the leaderboard."""
    use_threads(threads)
    from rich.console import Console

    from grade.report.leaderboard import leaderboard_view
    from pipelines.demo import demo_request

    outcome = _score(demo_request(place_of(out), threads=threads), is_quiet=quiet)
    Console().print(leaderboard_view(outcome.ranked))
    typer.echo(f"Result folder: {outcome.out}")


def require_few_rejects(rejects: pl.DataFrame, limit: int, *, done: str, listing: str) -> None:
    """Stop when more records were refused than the user allows; everything else is done by then.

    Args:
        rejects: REJECTS.
        limit: How many are allowed.
        done: What was done with the others.
        listing: Where they are all told.

    Raises:
        RejectsError: Names the first.
    """
    if rejects.height <= limit:
        return
    first = rejects.row(0, named=True)
    raise RejectsError(
        f"{rejects.height:,} records were refused; everything else is {done}",
        where=f"first: {first['file']}" + (f", line {first['line']}" if first["line"] else ""),
        got=f"{first['reason']}: {first['detail']}" if first["detail"] else first["reason"],
        expected=f"at most {limit:,} refused records",
        hint=f"{listing} lists them all; --max-rejects N accepts them",
    )


def _score_within_limit(request: ScoreRequest, settings: Settings, *, is_quiet: bool) -> None:
    outcome = _score(request, is_quiet=is_quiet)
    is_folder = isinstance(outcome.out, Path)
    listing = f"{outcome.out}/rejects.parquet" if is_folder else f"rejects.parquet of {outcome.out}"
    require_few_rejects(outcome.rejects, settings.max_rejects, done="scored and written", listing=listing)


def _score(request: ScoreRequest, *, is_quiet: bool) -> ScoreOutcome:
    from pipelines.progress import make_progress
    from pipelines.shared_score import score_into

    progress = make_progress(is_quiet=is_quiet)
    try:
        outcome = score_into(request, progress=progress)
    except KeyboardInterrupt:
        is_kept = isinstance(request.out, Path)
        goes_on = "goes on from here" if is_kept else "begins again"
        progress.say(f"stopped; nothing changed at the output path, and the next attempt {goes_on}")
        raise
    taken = f", {outcome.n_reused:,} of {outcome.n_groups:,} groups as before" if outcome.n_reused else ""
    progress.say(
        f"scored {outcome.n_runs:,} runs of {outcome.ranked.height:,} models{taken}; result in {outcome.out}"
    )
    return outcome
