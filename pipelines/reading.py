"""Read run and verdict files into validated tables: files -> records -> frames -> accepted and refused.

Nothing is lost: every record is in the table, or counted as an equal copy, or among the
rejects with its file, line and reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from grade.errors import ContractError
from grade.ingest.batch import Records
from grade.ingest.csv import cut_rows
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.parquet import RUN_FIELDS, cut_parquet, decode_run_rows
from grade.ingest.records import cut_records
from grade.ingest.refusals import ReadFault, Refusal, reject_table
from grade.ingest.report_verdicts import decode_reports, split_reports
from grade.ingest.runs import decode_runs, empty_runs
from grade.ingest.verdicts import VERDICT_COLUMNS, decode_verdicts, empty_verdicts
from grade.schemas import REJECTS, RUNS, VERDICTS, check
from grade.validate import validate_runs, validate_verdicts
from pipelines.catalogue import Catalogue
from pipelines.files import RUN_SUFFIXES, VERDICT_SUFFIXES, Found, find_files
from pipelines.sources import InputFile, Source
from pipelines.table_files import allow_long_cells

_JSON_CELLS: Final = frozenset({"run_index", "int_score", "numeric_score", "confidence", "findings"})
_DECODED_RECORDS: Final = 50_000
REJECT_ORDER: Final = ("file", "line", "byte_offset", "reason", "detail", "raw")


@dataclass(frozen=True, slots=True)
class ReadRuns:
    """What the run files hold.

    `n_records == runs.height + n_duplicates + rejects.height`, always.

    Attributes:
        runs: RUNS, sorted by key.
        rejects: REJECTS, sorted by file, line and offset.
        n_records: Records met, a broken rest of a file counting as one.
        n_duplicates: Records left out because an equal copy is in `runs`.
        inputs: The files, sorted by name.
    """

    runs: pl.DataFrame
    rejects: pl.DataFrame
    n_records: int
    n_duplicates: int
    inputs: tuple[InputFile, ...]


@dataclass(frozen=True, slots=True)
class ReadVerdicts:
    """What the verdict files hold; see `ReadRuns`.

    Attributes:
        verdicts: VERDICTS, sorted by key, with unit_score.
        rejects: REJECTS.
        n_records: Records met.
        n_duplicates: Records left out because an equal copy is in `verdicts`.
        inputs: The files, sorted by name.
    """

    verdicts: pl.DataFrame
    rejects: pl.DataFrame
    n_records: int
    n_duplicates: int
    inputs: tuple[InputFile, ...]


def read_runs(
    paths: Sequence[str | Found],
    *,
    catalogue: Catalogue,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int], object] | None = None,
) -> ReadRuns:
    """Read every run below `paths` into memory; `pipelines.ingest` reads any number into a store.

    Args:
        paths: Files, folders and globs.
        catalogue: The tasks that runs may answer; from `pipelines.catalogue.load_catalogue`.
        limits: What a record and a file may hold at most.
        on_progress: Called with the number of records after each batch.

    Raises:
        InputError: A path names nothing.
    """
    chunks = run_chunks(paths, limits=limits, on_progress=on_progress)
    valid = validate_runs(pl.concat([empty_runs(), *chunks]), tasks=catalogue.table)
    runs = check(valid.accepted, RUNS, where="read_runs")
    rejects = _rejects(chunks, valid.rejects, runs.height + valid.n_duplicates)
    return ReadRuns(runs, rejects, chunks.n_records, valid.n_duplicates, tuple(chunks.inputs))


def read_verdicts(
    paths: Sequence[str | Found],
    *,
    runs: pl.DataFrame,
    catalogue: Catalogue,
    limits: Limits = DEFAULT_LIMITS,
    stored: Sequence[tuple[pl.DataFrame, tuple[InputFile, ...]]] = (),
) -> ReadVerdicts:
    """Read every verdict below `paths`; no paths give empty tables.

    Args:
        paths: JSONL, CSV and Parquet files, folders and globs.
        runs: The accepted runs, by the columns of their key.
        catalogue: The tasks, for the claims that a verdict may name.
        limits: What a record and a file may hold at most.
        stored: Verdicts out of verdict stores, as records like those of a file, and the stores' files.

    Raises:
        InputError: A path names nothing.
    """
    chunks = Chunks(find_files(paths, suffixes=VERDICT_SUFFIXES) if paths else [], _verdict_frames, limits)
    records = pl.concat([empty_verdicts(), *chunks, *(frame for frame, _ in stored)])
    chunks.n_records += sum(frame.height for frame, _ in stored)
    chunks.inputs += [entry for _, entries in stored for entry in entries]
    valid = validate_verdicts(records, runs=runs, claims=catalogue.claims)
    verdicts = check(valid.accepted, VERDICTS, where="read_verdicts")
    rejects = _rejects(chunks, valid.rejects, verdicts.height + valid.n_duplicates)
    return ReadVerdicts(verdicts, rejects, chunks.n_records, valid.n_duplicates, tuple(chunks.inputs))


def run_chunks(
    paths: Sequence[str | Found],
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int], object] | None = None,
) -> Chunks:
    """Return the runs below `paths`, to be read chunk by chunk; see `Chunks`.

    Raises:
        InputError: A path names nothing.
    """
    return Chunks(find_files(paths, suffixes=RUN_SUFFIXES), _run_frames, limits, on_progress)


_Part = tuple[pl.DataFrame, list[Refusal]]
_Frames = Callable[[Source, Found, Limits], Iterator[_Part]]


class Chunks:
    """The records of some files, a chunk at a time; the counts are whole once all chunks were taken.

    A file that cannot be read, or not to its end, is one refusal.

    Attributes:
        refused: The records that could not be read.
        inputs: The files, in the order in which they were read.
        n_records: Records met, refused ones included.
    """

    def __init__(
        self,
        files: Sequence[Found],
        frames: _Frames,
        limits: Limits,
        on_progress: Callable[[int], object] | None = None,
    ) -> None:
        self.refused: list[Refusal] = []
        self.inputs: list[InputFile] = []
        self.n_records = 0
        self._files, self._frames, self._limits, self._on_progress = files, frames, limits, on_progress

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for found in self._files:
            yield from self._read(found)

    def _read(self, found: Found) -> Iterator[pl.DataFrame]:
        try:
            with Source(found, limits=self._limits) as source:
                yield from self._take(self._frames(source, found, self._limits), found)
                entry = source.entry()
            self.inputs.extend([entry] if entry else [])
        except ReadFault as fault:
            self._count(0, [Refusal(found.name, None, None, fault.reason, fault.detail)])

    def _take(self, parts: Iterator[_Part], found: Found) -> Iterator[pl.DataFrame]:
        """Pass on what is read of a file; one that holds too many bad records is left at that."""
        n_left = self._limits.max_refused
        for frame, refused in parts:
            if len(refused) > n_left:
                detail = f"more than {self._limits.max_refused:,} records of the file were refused"
                rest = Refusal(found.name, None, None, "too_many_refused", f"{detail}; its rest was not read")
                refused = [*refused[:n_left], rest]  # noqa: PLW2901 - the others are in the rest
                n_left = -1
            self._count(frame.height, refused)
            yield frame
            if n_left < 0:
                return
            n_left -= len(refused)

    def _count(self, n_read: int, refused: list[Refusal]) -> None:
        self.refused.extend(refused)
        self.n_records += n_read + len(refused)
        if self._on_progress is not None:
            self._on_progress(self.n_records)


def list_unread(rejects: pl.DataFrame) -> list[dict[str, str]]:
    """List the files that could not be opened, as name, reason and detail.

    Args:
        rejects: REJECTS.
    """
    unopened = rejects.filter(
        pl.col("line").is_null(), pl.col("reason").is_in(["unreadable_file", "outside_folder"])
    )
    return unopened.select("file", "reason", "detail").rename({"file": "name"}).rows(named=True)


def _rejects(chunks: Chunks, from_validation: pl.DataFrame, n_accepted: int) -> pl.DataFrame:
    """Return all rejects, sorted, having counted that no record is lost."""
    rejects = pl.concat([reject_table(chunks.refused), from_validation]).sort(REJECT_ORDER)
    if chunks.n_records != n_accepted + rejects.height:
        raise ContractError(
            f"{chunks.n_records} records, but {n_accepted} accepted and {rejects.height} refused"
        )
    return check(rejects, REJECTS, where="reading")


def _run_frames(source: Source, found: Found, limits: Limits) -> Iterator[_Part]:
    if source.is_parquet:
        for rows in cut_parquet(source.file, file=found.name, columns=RUN_FIELDS, limits=limits):
            yield decode_run_rows(rows, limits=limits)
    else:
        for records in _json_records(source, found, limits):
            yield decode_runs(records, limits=limits)


def _verdict_frames(source: Source, found: Found, limits: Limits) -> Iterator[_Part]:
    records: Iterator[Records]
    if source.is_parquet:
        records = cut_parquet(source.file, file=found.name, columns=VERDICT_COLUMNS, limits=limits)
    elif found.suffix == ".csv":
        allow_long_cells(limits.max_record_bytes)
        records = cut_rows(source.blocks(), file=found.name, json_columns=_JSON_CELLS, limits=limits)
    else:
        records = _json_records(source, found, limits)
    for batch in records:
        reports, others = split_reports(batch)
        yield decode_verdicts(others, limits=limits)
        if len(reports):
            yield decode_reports(reports, limits=limits)


def _json_records(source: Source, found: Found, limits: Limits) -> Iterator[Records]:
    is_document = found.suffix == ".json"
    for batch in cut_records(source.blocks(), file=found.name, is_document=is_document, limits=limits):
        yield from batch.pieces(_DECODED_RECORDS)
