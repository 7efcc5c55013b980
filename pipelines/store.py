"""A store of runs: read once, kept as Parquet, added to, and scored from again and again.

`store.json` names the index, which has one row per run with its place in a part. Parts and
indexes are never changed in place: adding runs writes new ones and then exchanges `store.json`
in one step, so that a killed process leaves the store as it was. Files that no index names any
more are cleared away by the next one who adds while nobody reads.
"""

from __future__ import annotations

import fcntl
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import polars as pl
import pyarrow as pa

from grade.errors import ContractError, InputError, OutputError
from grade.schemas import REJECTS, RUN_KEY
from pipelines.places import Place, Remote, read_frame
from pipelines.segments import part_path
from pipelines.sources import InputFile
from pipelines.write import flush, writing

_FORMAT: Final = "grade-store"
_VERSION: Final = 1
HEAD: Final = "store.json"
"""The file that names everything else of a store, and is exchanged last."""
_ADDING: Final = ".lock"
_READING: Final = ".readers"
_OURS: Final = re.compile(r"(index|rejects|part|range)-\d{6,}\.parquet|\.lock|\.readers|\.store\.json")

INDEX: Final = {
    "model_id": pl.String,
    "task_id": pl.String,
    "run_index": pl.Int64,
    "content_hash": pl.String,
    "n_bytes": pl.UInt32,
    "part": pl.UInt32,
    "row": pl.UInt32,
}
"""Columns of the index: the run's key, content and size, and where its row lies."""


class Addition(NamedTuple):
    """What was read at one time, so that it can be read again.

    Attributes:
        replaces: Other content took the place of stored runs.
        limits: What a record and a file might hold at most, by name.
        files: Name, SHA-256 and place of each file; the place is told from the store's folder.
    """

    replaces: bool
    limits: dict[str, int]
    files: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Store:
    """What a store holds at one moment; records = runs + replaced + duplicates + rejects.

    Attributes:
        folder: Where it lies, here or on an object store.
        index: One row per run (see `INDEX`), sorted by key.
        rejects: REJECTS of everything that was ever added.
        inputs: The files that were read, sorted by name.
        n_records: Records met in them.
        n_duplicates: Records left out because an equal copy was there.
        n_replaced: Runs that gave way to other content under their key.
        next_part: Number of the next part.
        generation: How often the store was written.
        additions: What was read, in order.
    """

    folder: Place
    index: pl.DataFrame
    rejects: pl.DataFrame
    inputs: tuple[InputFile, ...] = ()
    n_records: int = 0
    n_duplicates: int = 0
    n_replaced: int = 0
    next_part: int = 0
    generation: int = 0
    additions: tuple[Addition, ...] = ()

    @property
    def places(self) -> dict[tuple[str, str], str]:
        """Where each file was, by name and SHA-256."""
        base = self.folder if isinstance(self.folder, Path) else Path("/")
        return {
            (name, digest): (base / place).as_posix()
            for addition in self.additions
            for name, digest, place in addition.files
        }

    @classmethod
    def new(cls, folder: Path) -> Self:
        """Return an empty store that is not written yet."""
        return cls(folder, pl.DataFrame(schema=INDEX), REJECTS.empty())


def open_store(folder: Place) -> Store:
    """Read a store's index.

    Raises:
        InputError: There is no store, it is of another version, or damaged.
    """
    try:
        head = read_head(folder)
    except OSError as fault:
        raise InputError(
            "there is no store of runs here",
            where=str(folder),
            got=str(fault) if isinstance(folder, Remote) else "",
            hint="grade ingest RUNS... --store DIR makes one",
        ) from fault
    except ValueError as fault:
        raise _damaged(folder, fault) from fault
    if (head.get("format"), head.get("version")) != (_FORMAT, _VERSION):
        raise InputError("this is no store that this version reads", where=str(folder / HEAD))
    try:
        return _read_state(folder, head)
    except (OSError, LookupError, TypeError, pa.ArrowException, pl.exceptions.PolarsError) as fault:
        raise _damaged(folder, fault) from fault


def read_head(folder: Place) -> dict[str, Any]:
    """Read what `store.json` says.

    Raises:
        OSError: There is none, or it cannot be read.
        ValueError: It is no JSON.
    """
    head = json.loads((folder / HEAD).read_bytes())
    return head if isinstance(head, dict) else {}


def _damaged(folder: Place, fault: Exception) -> InputError:
    return InputError(
        "the store is damaged",
        where=str(folder),
        got=str(fault),
        hint="make it anew: grade ingest RUNS... --store NEW_DIR",
    )


def _read_state(folder: Place, head: dict[str, Any]) -> Store:
    return Store(
        folder,
        read_frame(folder / head["index"]).select(*INDEX),
        read_frame(folder / head["rejects"]).select(REJECTS.columns),
        tuple(InputFile(*entry) for entry in head["inputs"]),
        head["n_records"],
        head["n_duplicates"],
        head["n_replaced"],
        head["next_part"],
        head["generation"],
        tuple(
            Addition(one["replaces"], one["limits"], tuple(tuple(file) for file in one["files"]))
            for one in head.get("additions", ())
        ),
    )


def save_store(store: Store) -> Store:
    """Make a store's new state the one that readers see, and clear away what it no longer names.

    Raises:
        OutputError: The disk refuses.
    """
    generation, folder = store.generation + 1, _here(store)
    names = {name: f"{name}-{generation:06d}.parquet" for name in ("index", "rejects")}
    with writing(folder):
        store.index.sort(RUN_KEY).write_parquet(folder / names["index"])
        store.rejects.write_parquet(folder / names["rejects"])
        head: dict[str, Any] = {
            "format": _FORMAT,
            "version": _VERSION,
            "generation": generation,
            "n_runs": store.index.height,
            "n_records": store.n_records,
            "n_duplicates": store.n_duplicates,
            "n_replaced": store.n_replaced,
            "next_part": store.next_part,
            **names,
            "inputs": [list(entry) for entry in store.inputs],
            "additions": [addition._asdict() for addition in store.additions],
        }
        draft = folder / f".{HEAD}"
        draft.write_text(json.dumps(head, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        flush(folder)
        draft.replace(folder / HEAD)
        _clear(store, folder, set(names.values()))
    return replace(store, generation=generation)


@contextmanager
def locked_store(folder: Path) -> Iterator[Store]:
    """Open a store for adding, or begin one; no other process adds at the same time.

    Raises:
        InputError: See `open_store`.
        OutputError: Another process is adding, the folder holds something else, or the disk refuses.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not (folder / HEAD).exists() and not all(_OURS.fullmatch(entry.name) for entry in folder.iterdir()):
        raise OutputError(
            "the folder is not empty and holds no store",
            where=str(folder),
            hint="name a new or empty folder, or an earlier store",
        )
    with writing(folder / _ADDING), (folder / _ADDING).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            raise OutputError("another process is adding to this store", where=str(folder)) from fault
        # A new store is written before anything is added, so that a killed first attempt leaves one.
        yield open_store(folder) if (folder / HEAD).exists() else save_store(Store.new(folder))


@contextmanager
def reading_store(folder: Place) -> Iterator[Store]:
    """Open a store to score from; what it holds stays in place until the end, also when runs are added.

    On an object store nothing is ever removed, so nothing needs to be held.

    Raises:
        InputError: See `open_store`.
    """
    if isinstance(folder, Remote):
        yield open_store(folder)
        return
    if not (folder / HEAD).exists():
        open_store(folder)  # which tells what is wrong
    try:
        lock = (folder / _READING).open("a")
    except OSError:
        yield open_store(folder)  # not ours to write, so nothing is held in place
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield open_store(folder)


def _clear(store: Store, folder: Path, names: set[str]) -> None:
    """Remove files that no index names: earlier indexes, and parts without a living row."""
    living = {part_path(folder, part).name for part in store.index["part"].unique()}
    with (folder / _READING).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # somebody scores from them; the next one who adds clears them away
        for path in folder.glob("*.parquet"):
            if path.name not in names | living:
                path.unlink(missing_ok=True)


def _here(store: Store) -> Path:
    if isinstance(store.folder, Remote):
        raise ContractError(f"{store.folder} is written by pipelines.shared_store")
    return store.folder
