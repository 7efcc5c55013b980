"""Where the workers of a cluster put the tables of slices, and where these are taken up again.

The place lies beside the result: below its prefix on an object store, or in a hidden folder beside
its folder, which must then be on storage that every machine has. Each try of a slice has a name of
its own, so that what a lost worker left is never mistaken for a whole slice.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from grade.errors import GradeError
from pipelines.groups import Tables
from pipelines.places import Place, Remote, read_frame, write_frame
from pipelines.shared_results import SLICES
from pipelines.write import sibling, writing

_AT_A_TIME: Final = 4
_ADVICE: Final = "name an --out that every machine sees: a folder on shared storage, or s3://BUCKET/PREFIX"


class SliceError(GradeError):
    """A worker cannot hand over what it made."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a worker tells of a slice, whose tables it has written.

    Attributes:
        name: The slice and the try, such as `000012-1`.
        n_rows: Rows of each table.
    """

    name: str
    n_rows: Mapping[str, int]


@contextmanager
def slices_beside(out: Place) -> Iterator[Place]:
    """Yield a new place for slices; it is gone in the end, also when the body raises.

    Args:
        out: Where the result shall stand.

    Raises:
        OutputError: The place cannot be made.
    """
    token = secrets.token_hex(16)
    if isinstance(out, Remote):
        place: Place = out / SLICES / token
    else:
        place = sibling(out.resolve(), f"draft-{token}-slices")  # which the next one who writes would clear
        with writing(place):
            place.mkdir(parents=True)
    try:
        yield place
    finally:
        _remove(place)


def require_seen(place: Place) -> None:
    """Stop a worker before it works in vain.

    Raises:
        SliceError: The worker does not see the place.
    """
    if isinstance(place, Path) and not place.is_dir():
        raise SliceError("a worker does not see the place for what it makes", where=str(place), hint=_ADVICE)


def write_slice(tables: Tables, place: Place, name: str) -> Made:
    """Write the tables of a slice, on a worker.

    Raises:
        SliceError: The worker may not write there.
    """
    folder = place / name
    try:
        if isinstance(folder, Path):
            folder.mkdir()
        with _threads() as pool:
            list(pool.map(lambda table: write_frame(tables[table], _file(folder, table)), tables))
    except OSError as fault:
        raise SliceError(
            "a worker cannot write what it makes", where=str(folder), got=str(fault), hint=_ADVICE
        ) from fault
    return Made(name, {table: frame.height for table, frame in tables.items()})


def take_slice(made: Made, place: Place) -> Tables:
    """Read the tables of a slice and remove them.

    Raises:
        SliceError: They are not what the worker wrote.
    """
    folder = place / made.name
    try:
        with _threads() as pool:
            frames = pool.map(lambda table: read_frame(_file(folder, table)), made.n_rows)
            tables = dict(zip(made.n_rows, frames, strict=True))
    except (OSError, pl.exceptions.PolarsError) as fault:
        raise SliceError(
            "what a worker made cannot be read",
            where=str(folder),
            got=str(fault),
            hint=f"{_ADVICE}; it also goes away when another command writes the same result",
        ) from fault
    heights = {table: frame.height for table, frame in tables.items()}
    if heights != made.n_rows:
        raise SliceError(
            "what a worker made is not what is there",
            where=str(folder),
            got=str(heights),
            expected=str(made.n_rows),
            hint="score again",
        )
    _remove(folder)
    return tables


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="grade")  # an object store answers slowly


def _file(folder: Place, table: str) -> Place:
    return folder / f"{table}.parquet"


def _remove(place: Place) -> None:
    if isinstance(place, Path):
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.remove()
