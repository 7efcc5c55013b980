"""`grade ingest`: read answers once into a store, to be scored again and again by `grade rescore`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from grade.settings import override
from pipelines.commands.options import (
    MaxRejects,
    Quiet,
    Runs,
    SettingsFile,
    Threads,
    load_settings,
    use_threads,
)
from pipelines.commands.scoring import require_few_rejects
from pipelines.places import place_of

if TYPE_CHECKING:
    from pipelines.ingest import Ingested


def ingest(
    runs: Runs,
    store: Annotated[
        str, typer.Option(help="The store: a folder, or s3://BUCKET/PREFIX; new, empty, or an earlier one.")
    ],
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Other content under a stored key takes the place of what is stored."),
    ] = False,
    max_rejects: MaxRejects = None,
    settings: SettingsFile = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Add answers to a store: read, checked and kept as Parquet, for any number of rescorings.

    A copy that equals a stored run is counted and left out. Other content under a stored key
    (model, task, run index) is refused, unless --replace is given. A store changes whole or not at all.

    Ends with 0 when done, 2 when an input or the store stops everything, and 3 when done but
    more of these records were refused than --max-rejects allows (a result's rejects.parquet lists them).
    """
    use_threads(threads)
    from pipelines.progress import make_progress, since_last
    from pipelines.shared_store import ingest_into

    chosen = override(load_settings(settings), {"max_rejects": max_rejects})
    place = place_of(store)
    progress = make_progress(is_quiet=quiet)
    with progress.step("reading runs", unit="records") as advance:
        done = ingest_into(
            runs, place, replaces=replace, limits=chosen.limits, on_progress=since_last(advance)
        )
    for line in _told(done):
        typer.echo(line)
    listing = f"rejects.parquet of what is scored from {store}"
    require_few_rejects(done.rejects, chosen.max_rejects, done="in the store", listing=listing)


def _told(done: Ingested) -> list[str]:
    rows = (
        ("records read", done.n_records),
        ("added", done.n_added),
        ("replaced", done.n_replaced),
        ("duplicates", done.n_duplicates),
        ("refused", done.rejects.height),
        ("runs in the store", done.store.index.height),
    )
    return [f"{name:<18}{count:>12,}" for name, count in rows]
