"""`grade import`: find files, read answers, give each its key, write them as runs, tell what was skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grade.errors import InputError, SettingsError
from grade.imports.answer import Answer, Skip
from grade.imports.reasons import is_fault
from grade.imports.runs import IMPORTED, make_run
from grade.ingest.refusals import ReadFault
from pipelines.catalogue import load_catalogue
from pipelines.files import find_files
from pipelines.imports.files import AnswerFile, Skipped
from pipelines.imports.keys import KeyFinder, KeyOptions
from pipelines.imports.output import SUFFIXES, RunWriter, Written, replaced_file
from pipelines.imports.registry import READERS, Reader, choose_reader, detect

MOST_TOLD: Final = 100_000
"""Skipped records that are told one by one; all are counted."""

_TOLD_EVERY: Final = 200
_ALL_SUFFIXES: Final = tuple(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to import and where to write it.

    Attributes:
        format_name: A format, or `auto`.
        paths: Files, folders and globs.
        out: The run file.
        keys: How task, model and run are found.
        packs: Tasks; answers to others are left out.
        options: What readers ask for: `text_field`, `columns`.
        keeps_originals: The original records are written along.
    """

    format_name: str
    paths: tuple[str, ...]
    out: Path
    keys: KeyOptions = field(default_factory=KeyOptions)
    packs: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)
    keeps_originals: bool = True


@dataclass(slots=True)
class Imported:
    """What was done.

    Attributes:
        n_read: Records or answers met.
        n_written: Runs in the file.
        n_empty: Of these, answers without a word.
        counts: Skipped records by reason.
        skipped: The skipped records, in the order in which they were met; `MOST_TOLD` at most.
        files: Name, format and SHA-256 of each file that was read to its end.
        n_by_format: Runs by the format that they came from.
    """

    n_read: int = 0
    n_written: int = 0
    n_empty: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    files: list[tuple[str, str, str | None]] = field(default_factory=list)
    n_by_format: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> list[str]:
        """The reasons that mean that something is wrong with a record."""
        return [reason for reason in self.counts if is_fault(reason)]

    @property
    def n_faults(self) -> int:
        """Skipped records that something is wrong with."""
        return sum(self.counts[reason] for reason in self.faults)

    def take_back(self, run: Written) -> None:
        """Count a run as skipped that was written before another answer turned out to have its key."""
        self.n_read -= 1
        self.n_by_format[run.format_name] -= 1
        self.n_empty -= run.is_empty
        detail = f"another answer has the key {' / '.join(map(str, run.key))}, too"
        self.skip(Skipped(run.file, run.line, "duplicate_conflict", detail))

    def skip(self, one: Skipped) -> None:
        """Count a skipped record and keep it to be told."""
        self.n_read += 1
        self.counts[one.reason] += 1
        if len(self.skipped) < MOST_TOLD:
            self.skipped.append(one)


def import_answers(
    request: ImportRequest, *, on_progress: Callable[[int], object] = lambda _: None
) -> Imported:
    """Import answers into a run file, which changes whole or not at all.

    Args:
        request: What to import.
        on_progress: Called with the number of records so far, now and then and after each file.

    Raises:
        InputError: A path names nothing, the format is unknown or cannot be told, the mapping is broken.
        SettingsError: A pattern or column is not understood.
        OutputError: The output is no earlier import, or cannot be written.
    """
    if request.out.suffix not in SUFFIXES:
        raise SettingsError(
            "imported runs are JSON lines", got=str(request.out), expected="an --out that ends in .jsonl"
        )
    reader = choose_reader(request.format_name)
    found = find_files(request.paths, suffixes=_suffixes(reader))
    plan = [(one, reader or detect(one)) for one in found if one.path.resolve() != request.out.resolve()]
    if not plan:
        raise InputError("there is nothing to import but the output itself", where=str(request.out))
    tasks = None if request.packs is None else {task.task_id for task in load_catalogue(request.packs).tasks}
    done = Imported()
    finder = KeyFinder(request.keys)
    with replaced_file(request.out, marker=IMPORTED) as file:
        writer = RunWriter(file, keeps_originals=request.keeps_originals)
        for one, chosen in plan:
            for _ in _import_file(AnswerFile(one, request.options), chosen, finder, writer, done, tasks):
                on_progress(done.n_read)
        for run in writer.close():
            done.take_back(run)
        done.n_written = writer.n_written
    return done


def _suffixes(reader: Reader | None) -> tuple[str, ...]:
    own = () if reader is None else reader.suffixes or getattr(reader.load(), "suffixes", ())
    return tuple(own) or _ALL_SUFFIXES


def _import_file(
    file: AnswerFile,
    reader: Reader,
    finder: KeyFinder,
    writer: RunWriter,
    done: Imported,
    tasks: set[str] | None,
) -> Iterator[None]:
    """Import one file, giving way now and then and in the end."""
    read = reader.load()
    try:
        for number, answer in enumerate(read(file)):
            if number % _TOLD_EVERY == 0:
                yield
            try:
                _write(answer, file, reader, finder, writer, tasks)
                done.n_read += 1
                done.n_empty += not answer.text.strip()
                done.n_by_format[reader.name] += 1
            except Skip as skip:
                file.skip(skip.reason, skip.detail, line=answer.line)
    except ReadFault as fault:
        file.skip(fault.reason, fault.detail)
    for one in file.skipped:
        done.skip(one)
    done.files.append((file.name, reader.name, file.entry.sha256 if file.entry else None))
    yield


def _write(
    answer: Answer,
    file: AnswerFile,
    reader: Reader,
    finder: KeyFinder,
    writer: RunWriter,
    tasks: set[str] | None,
) -> None:
    key = finder.find(answer, file.name)
    if tasks is not None and key.task_id not in tasks:
        raise Skip("unknown_task", key.task_id)
    run = make_run(answer, **key._asdict(), format_name=reader.name, file=file.name)
    writer.write(key, run)
