"""`grade ingest`: read run files once and add their runs to a store.

Only a chunk of runs is held at a time. Copies and conflicts are told apart by the index alone,
which has a row of a hundred bytes per run.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from grade.errors import ContractError
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.places import PLACE
from grade.ingest.refusals import reject_table
from grade.rules import reject_rows
from grade.schemas import REJECTS, RUN_KEY, check
from pipelines.files import Found
from pipelines.reading import REJECT_ORDER, Chunks, run_chunks
from pipelines.segments import PartWriter, part_path, read_rows, scatter, sort_parts
from pipelines.store import INDEX, Addition, Store, locked_store, save_store

_FLAGS: Final = "flags"
_PART_ROWS: Final = 20_000
_PART_BYTES: Final = 200 * 2**20
_SCATTER: Final = 4.0
_BATCH_ROWS: Final = 4_000
_FIRST_PARTS: Final = 2**31


@dataclass(frozen=True, slots=True)
class Ingested:
    """What adding runs did; records = added + replaced + duplicates + rejects.

    Attributes:
        store: The store afterwards.
        n_records: Records met.
        n_added: Runs under new keys.
        n_replaced: Runs that took the place of another content.
        n_duplicates: Equal copies, of each other or of a stored run.
        rejects: REJECTS of these files.
    """

    store: Store
    n_records: int
    n_added: int
    n_replaced: int
    n_duplicates: int
    rejects: pl.DataFrame


class _Sorted(NamedTuple):
    """New rows by what becomes of them; all with the columns of the index."""

    kept: pl.DataFrame
    refused: pl.DataFrame
    n_duplicates: int
    n_replaced: int


def ingest(
    paths: Sequence[str | Found],
    folder: Path,
    *,
    replaces: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    moves: bool = False,
    on_progress: Callable[[int], object] | None = None,
) -> Ingested:
    """Add the runs of some files to a store, which is made where there is none.

    Args:
        paths: Files, folders and globs.
        folder: The store.
        replaces: Other content under a stored key takes its place; it is refused otherwise.
        limits: What a record and a file may hold at most.
        moves: The store goes elsewhere, so that places of files are told from the root.
        on_progress: Called with the number of records after each chunk.

    Raises:
        InputError: A path names nothing.
        OutputError: The store cannot be written.
    """
    chunks = run_chunks(paths, limits=limits, on_progress=on_progress)
    with locked_store(folder) as store:
        # A store that goes elsewhere has no lock there; parts of two who add never share a name.
        numbers = count(secrets.randbelow(_FIRST_PARTS) if moves else store.next_part)
        fresh = _write_parts(chunks, folder, numbers)
        found = _sort_out(fresh, store.index, replaces=replaces)
        refused = _told(folder, found.refused)
        rejects = pl.concat([reject_table(chunks.refused), refused])
        rejects = check(rejects.sort(REJECT_ORDER), REJECTS, where="ingest")
        index = _merged(store.index, found.kept, folder, numbers)
        saved = save_store(
            replace(
                store,
                index=index,
                rejects=pl.concat([store.rejects, rejects]).sort(REJECT_ORDER),
                inputs=tuple(sorted({*store.inputs, *chunks.inputs})),
                n_records=store.n_records + chunks.n_records,
                n_duplicates=store.n_duplicates + found.n_duplicates,
                n_replaced=store.n_replaced + found.n_replaced,
                next_part=next(numbers),
                additions=(*store.additions, _addition(chunks, limits, folder, replaces, moves)),
            )
        )
    n_new = found.kept.height - found.n_replaced
    if chunks.n_records != n_new + found.n_replaced + found.n_duplicates + rejects.height:
        raise ContractError(f"{chunks.n_records} records are not all accounted for")
    return Ingested(saved, chunks.n_records, n_new, found.n_replaced, found.n_duplicates, rejects)


def _addition(chunks: Chunks, limits: Limits, folder: Path, replaces: bool, moves: bool) -> Addition:
    base = Path("/") if moves else folder
    files = (
        (name, digest, Path(os.path.relpath(name, base)).as_posix()) for name, digest, _ in chunks.inputs
    )
    return Addition(replaces, asdict(limits), tuple(files))


def _told(folder: Path, refused: pl.DataFrame) -> pl.DataFrame:
    """Refused rows as REJECTS, with the places that their parts tell."""
    places = read_rows(folder, refused, tuple(PLACE))
    return reject_rows(places.with_columns(refused["reason"], refused["detail"]))


def _write_parts(chunks: Chunks, folder: Path, numbers: Iterator[int]) -> pl.DataFrame:
    """Write runs as they are read, each part sorted by key; the index of all, flags included."""
    pieces = [pl.DataFrame(schema={**INDEX, _FLAGS: pl.String})]
    for runs in _gathered(chunks):
        part = next(numbers)
        writer = PartWriter(part_path(folder, part))
        ordered = runs.sort(RUN_KEY, maintain_order=True)
        writer.append(ordered)
        writer.close()
        pieces.append(
            ordered.select(
                *RUN_KEY,
                "content_hash",
                n_bytes=_size(),
                part=pl.lit(part, pl.UInt32),
                row=pl.int_range(pl.len(), dtype=pl.UInt32),
                flags=pl.col("input_flags").list.join(" "),
            )
        )
    return pl.concat(pieces)


def _size() -> pl.Expr:
    """About how many bytes a run's texts have."""
    texts = [pl.col("raw_response_text"), pl.col("structured_metrics")]
    lists = [pl.col("key_findings").list.join(" "), pl.col("limitations").list.join(" ")]
    return pl.sum_horizontal(text.str.len_bytes().fill_null(0) for text in (*texts, *lists)).cast(pl.UInt32)


def _gathered(chunks: Chunks) -> Iterator[pl.DataFrame]:
    """Chunks put together to parts of a good size."""
    held: list[pl.DataFrame] = []
    n_bytes = 0
    for runs in chunks:
        held.append(runs)
        n_bytes += int(runs.estimated_size())
        if n_bytes >= _PART_BYTES or sum(frame.height for frame in held) >= _PART_ROWS:
            yield pl.concat(held)
            held, n_bytes = [], 0
    if any(frame.height for frame in held):
        yield pl.concat(held)


def _sort_out(fresh: pl.DataFrame, stored: pl.DataFrame, *, replaces: bool) -> _Sorted:
    """Tell new runs from copies and conflicts.

    Copies that differ are all refused, since nothing tells which is right. Which of equal copies
    is kept does not depend on their order.
    """
    counted = fresh.with_columns(
        n_contents=pl.col("content_hash").n_unique().over(RUN_KEY), n_copies=pl.len().over(RUN_KEY)
    )
    at_odds = counted.filter(pl.col("n_contents") > 1).with_columns(
        detail=pl.format("{} copies of this run do not all agree", "n_copies")
    )
    agreeing = counted.filter(pl.col("n_contents") == 1)
    first = agreeing.sort(*RUN_KEY, _FLAGS, maintain_order=True).unique(
        RUN_KEY, keep="first", maintain_order=True
    )
    held = stored.select(*RUN_KEY, stored_hash="content_hash")
    met = first.join(held, on=list(RUN_KEY), how="left", maintain_order="left")
    is_new = pl.col("stored_hash").is_null()
    is_copy = pl.col("stored_hash") == pl.col("content_hash")
    other = met.filter(~is_new & ~is_copy)
    refused_other = other.head(0) if replaces else other
    # The copies of a refused run are refused with it.
    conflicts = agreeing.join(
        refused_other, on=list(RUN_KEY), how="semi", maintain_order="left"
    ).with_columns(
        detail=pl.lit("the store holds other content under this key; --replace would put this in its place")
    )
    refused = pl.concat([at_odds, conflicts]).with_columns(reason=pl.lit("duplicate_conflict"))
    kept = met.filter(is_new | (~is_copy if replaces else pl.lit(value=False)))
    n_duplicates = fresh.height - refused.height - kept.height
    return _Sorted(kept.select(*INDEX), refused, n_duplicates, other.height if replaces else 0)


def _merged(stored: pl.DataFrame, kept: pl.DataFrame, folder: Path, numbers: Iterator[int]) -> pl.DataFrame:
    """The index with the new runs in it; their rows are put in order where they are too scattered to read."""
    ordered = kept.sort(RUN_KEY)
    if scatter(ordered, batch_rows=_BATCH_ROWS) > _SCATTER and ordered.height > _BATCH_ROWS:
        ordered = sort_parts(folder, ordered, numbers)
    rest = stored.join(ordered, on=list(RUN_KEY), how="anti", maintain_order="left")
    return pl.concat([rest, ordered.select(*INDEX)]).sort(RUN_KEY)
