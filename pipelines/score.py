"""`grade score` and `grade rescore`, from files to a result folder, in the order in which it happens.

read catalogue -> read runs into a store -> read verdicts -> for each slice of groups: score, roll
up tasks, find, write (or take from an earlier result) -> finish: roll up, decide, report.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa

from grade.db import Database
from grade.errors import ContractError
from grade.ingest.places import PLACE
from grade.look_alikes import find_look_alikes, unknown_task
from grade.policy import DEFAULT_POLICY, Policy
from grade.report.gold_tables import gold_tables
from grade.rules import Rule, sort_out
from grade.schemas import GROUP_TABLES, REJECTS
from grade.settings import Settings
from pipelines.batches import cut_batches
from pipelines.catalogue import Catalogue, load_catalogue
from pipelines.earlier import find_earlier
from pipelines.engines.engine import Engine
from pipelines.engines.local import SIDE_BY_SIDE, LocalEngine
from pipelines.files import Found, path_of
from pipelines.fingerprints import fingerprint_groups
from pipelines.finish import Gathered, Inputs, finish
from pipelines.groups import Ground, Work, load_runs
from pipelines.ingest import ingest
from pipelines.interrupts import unbroken
from pipelines.judging.replay import StoreVerdicts, read_store_verdicts, sum_up
from pipelines.judging.store import is_store
from pipelines.parquet import TableFiles
from pipelines.partial import drop_partials, kept_when_interrupted, partial_folders
from pipelines.places import Place
from pipelines.progress import Progress, since_last
from pipelines.reading import REJECT_ORDER, ReadVerdicts, read_verdicts
from pipelines.segments import read_rows
from pipelines.store import Store, reading_store
from pipelines.write import replaced_folder, require_replaceable


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest:
    """What to score and where to write it.

    Attributes:
        runs: Files, folders and globs of answers; empty when a store is given.
        store: A store of runs, instead of files.
        packs: The folder with the tasks.
        verdicts: Files and stores of verdicts.
        out: Where the result shall stand.
        settings: The method's settings.
        policy: What decisions rest on beside the scores.
        threads: Threads of the database, and slices worked on at once at most; None leaves it to choose.
        told_below: Folder that is left out of the names of files, for inputs whose place says nothing
            (the data that ships); None tells names as given.
        engine: Where slices are scored; the result does not depend on it.
        reuses: Rows of an earlier result at `out` are taken for groups that have not changed.
        made_at: The result folder on this machine, where `out` is on an object store.
    """

    runs: tuple[str | Found, ...] = ()
    store: Place | None = None
    packs: Path
    verdicts: tuple[str | Found, ...] = ()
    out: Place
    settings: Settings
    policy: Policy = DEFAULT_POLICY
    threads: int | None = None
    told_below: Path | None = None
    engine: Engine = field(default_factory=LocalEngine)
    reuses: bool = True
    made_at: Path | None = None

    @property
    def folder(self) -> Path:
        """The result folder on this machine."""
        folder = self.made_at or self.out
        if isinstance(folder, Path):
            return folder
        raise ContractError(f"results in {folder} are made by pipelines.shared_score")


@dataclass(frozen=True, slots=True)
class ScoreOutcome:
    """What a finished command tells.

    Attributes:
        out: Where the result stands.
        ranked: The leaderboard, from `grade.rollup.rank_models`.
        rejects: REJECTS of runs and verdicts.
        n_runs: Runs scored.
        n_groups: Groups of these.
        n_reused: Groups whose rows were taken from an earlier result.
    """

    out: Place
    ranked: pl.DataFrame
    rejects: pl.DataFrame
    n_runs: int
    n_groups: int
    n_reused: int


def score(request: ScoreRequest, *, progress: Progress) -> ScoreOutcome:
    """Score runs and write a result folder; the folder changes whole or not at all.

    Raises:
        InputError: An input that stops everything is wrong.
        OutputError: The result cannot be written.
    """
    started = datetime.now(UTC)
    require_replaceable(request.folder.resolve())
    catalogue = load_catalogue(request.packs)
    with (
        replaced_folder(request.folder) as folder,
        _opened_runs(request, folder.with_name(f"{folder.name}-store"), progress) as store,
    ):
        with Database(threads=request.threads) as database:  # which gives its memory back when it is closed
            inputs = _read(request, catalogue, store, database)
        _tell_look_alikes(inputs.index, progress)
        with kept_when_interrupted(folder, request.folder):
            gathered = _score_groups(request, inputs, folder, progress)
            with Database(threads=request.threads) as database:
                ranked = finish(request, inputs, gathered, folder, started=started, database=database)
    drop_partials(request.folder)
    return ScoreOutcome(
        request.out,
        ranked,
        inputs.rejects,
        n_runs=inputs.index.height,
        n_groups=gathered.n_rows["groups"],
        n_reused=gathered.n_reused,
    )


@contextmanager
def _opened_runs(request: ScoreRequest, scratch: Path, progress: Progress) -> Iterator[Store]:
    """The runs to score: a store, or one that is made of the files and goes away afterwards."""
    if request.store is not None:
        with reading_store(request.store) as store:
            yield store
        return
    try:
        with progress.step("reading runs", unit="records") as advance:
            limits = request.settings.limits
            made = ingest(request.runs, scratch, limits=limits, on_progress=since_last(advance))
        pa.default_memory_pool().release_unused()  # what reading took and scoring never takes again
        yield made.store
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _read(request: ScoreRequest, catalogue: Catalogue, store: Store, database: Database) -> Inputs:
    index, unknown = _of_known_tasks(store, catalogue)
    read, stores = _read_verdicts(request, catalogue, store, index)
    verdicts = _told(read.verdicts, request.told_below)
    groups = fingerprint_groups(index, verdicts, catalogue, request.settings, database=database)
    told = [_told(frame, request.told_below) for frame in (store.rejects, unknown, read.rejects)]
    return Inputs(
        catalogue=catalogue,
        store=store,
        index=index.drop("content_hash"),  # which is of no more use and takes a third of the memory
        groups=groups,
        verdicts=replace(read, verdicts=verdicts),
        run_rejects=pl.concat(told[:2]).sort(REJECT_ORDER),
        verdict_rejects=told[2],
        judging=sum_up(stores, database=database),
    )


def _tell_look_alikes(index: pl.DataFrame, progress: Progress) -> None:
    for ids in find_look_alikes(index["model_id"]):
        named = ", ".join(map(repr, ids))
        progress.say(f"{len(ids)} model ids look alike and are scored as different models: {named}")


def _read_verdicts(
    request: ScoreRequest, catalogue: Catalogue, store: Store, index: pl.DataFrame
) -> tuple[ReadVerdicts, list[StoreVerdicts]]:
    """Read verdict files, and the stores of verdicts among them."""
    limits = request.settings.limits
    paths = [path for path in request.verdicts if is_store(path_of(path))]
    files = [path for path in request.verdicts if path not in paths]
    stores = []
    for path in paths:
        pieces = cut_batches(index, batch_runs=request.settings.batch_runs)
        runs = (load_runs(piece, store.folder) for piece in pieces)
        place, name = path_of(path), None if isinstance(path, str) else path.name
        stores.append(read_store_verdicts(place, runs=runs, tasks=catalogue.tasks, limits=limits, name=name))
    stored = [(one.records, one.inputs) for one in stores]
    return read_verdicts(files, runs=index, catalogue=catalogue, limits=limits, stored=stored), stores


def _of_known_tasks(store: Store, catalogue: Catalogue) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The index of runs that the catalogue knows, with pack and track; and REJECTS of the others."""
    known = catalogue.table.select("task_id", "pack_id", "track")
    placed = store.index.join(known, on="task_id", how="left", validate="m:1", maintain_order="left")
    strangers = placed.filter(pl.col("pack_id").is_null())
    rows = read_rows(store.folder, strangers, ("task_id", *PLACE))
    unknown = Rule("unknown_task", pl.lit(value=True), unknown_task(catalogue.table))
    rejects = sort_out(rows, (unknown,)).rejects if rows.height else REJECTS.empty()
    return placed.drop_nulls("pack_id"), rejects


def _told(rows: pl.DataFrame, below: Path | None) -> pl.DataFrame:
    """Leave a folder out of the names of files."""
    return (
        rows if below is None else rows.with_columns(pl.col("file").str.strip_prefix(f"{below.as_posix()}/"))
    )


def _score_groups(request: ScoreRequest, inputs: Inputs, folder: Path, progress: Progress) -> Gathered:
    """Make the tables of group after group and write each as it is made."""
    verdicts = inputs.verdicts.verdicts
    places = [request.folder, *partial_folders(request.folder)] if request.reuses else []
    earlier = find_earlier(places)
    claims = gold_tables(inputs.catalogue.tasks).claims
    work = Work(Ground(inputs.store.folder, inputs.catalogue, claims), verdicts, inputs.groups, earlier)
    gathered = Gathered.start(n_reused=earlier.known(inputs.groups).height)
    slices = cut_batches(
        inputs.index,
        batch_runs=request.settings.batch_runs,
        n_bytes=pl.col("n_bytes"),
        side_by_side=SIDE_BY_SIDE,
    )
    with (
        TableFiles(folder, GROUP_TABLES) as files,
        progress.step("scoring", unit="runs", total=inputs.index.height) as advance,
        closing(request.engine.make(slices, work, threads=request.threads, progress=progress)) as made,
    ):
        for tables in made:
            with unbroken():
                for name, frame in tables.items():
                    files.append(name, frame)
            gathered = gathered.with_slice(tables)
            advance(tables["runs"].height)
    return gathered.ended(files.n_rows)
