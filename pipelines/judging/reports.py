"""What is told about judges: how a store stands to a result, what judging took, how far to trust it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.errors import InputError
from grade.expressions.verdicts import unit_score
from grade.judging.replay import REPLAYED_COLUMNS
from grade.judging.standing import tell_standing
from grade.judging.tables import JUDGEMENTS, QUESTION_KEY
from grade.judging.usage import summarise_judging
from grade.judging.validity import LABEL_COLUMNS, Validity, compare_labels
from pipelines.batches import cut_batches
from pipelines.catalogue import load_catalogue
from pipelines.desk.folder import ResultFolder, open_result
from pipelines.judging.replay import replay_store
from pipelines.judging.store import read_store
from pipelines.judging.subject import open_subject, packs_of
from pipelines.places import Place
from pipelines.write import writing

_BATCH_RUNS: Final = 2_000
_TOLD: Final = tuple(name for name in JUDGEMENTS.columns if name != "raw_replies")


class Status(NamedTuple):
    """How a store stands.

    Attributes:
        standing: JUDGE_STANDING.
        usage: JUDGE_USAGE of everything in the store.
    """

    standing: pl.DataFrame
    usage: pl.DataFrame


def tell_status(results: Place, store: Path, *, packs: Path | None = None) -> Status:
    """Say what a store answers of a result.

    Raises:
        InputError: The result, its packs or the store cannot be read.
    """
    judgements = read_store(store, _TOLD)
    subject = open_subject(results, packs=packs)
    batches = [(batch.questions, batch.needed) for batch in subject.batches()]
    if not batches:
        raise InputError("the result has no runs", where=str(results))
    questions, needed = (pl.concat(frames) for frames in zip(*batches, strict=True))
    return Status(
        tell_standing(questions, needed, judgements, subject.result.frame("verdicts")),
        summarise_judging(judgements),
    )


def export_verdicts(results: Place, store: Path, out: Path, *, packs: Path | None = None) -> pl.DataFrame:
    """Write the stored verdicts on a result's runs as a verdict file, sorted by key.

    Args:
        results: The result folder, for its runs.
        store: The verdict store.
        out: The file; `.parquet` or JSON lines.
        packs: The tasks; None takes those that the manifest names.

    Returns:
        What was written.

    Raises:
        InputError: The result, its packs or the store cannot be read.
        OutputError: The file cannot be written.
    """
    verdicts = _replayed(open_result(results), store, packs)
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".parquet":
            verdicts.write_parquet(out)
        else:
            verdicts.write_ndjson(out)
    return verdicts


def calibrate(
    results: Place, labels: Path, *, store: Path | None = None, packs: Path | None = None
) -> Validity:
    """Compare a result's checks and its judges' verdicts with labels.

    Args:
        results: The result folder.
        labels: JSON lines of model_id, task_id, run_index, item and label.
        store: Take the verdicts from this store; None takes those that the result was scored with.
        packs: The tasks, for a store; None takes those that the manifest names.

    Raises:
        InputError: A file cannot be read, or no label is on a check of the result.
    """
    result = open_result(results)
    if store is None:
        verdicts = result.frame("verdicts")
    else:
        verdicts = _replayed(result, store, packs).with_columns(unit_score())
    told = compare_labels(
        read_labels(labels),
        result.frame("fact_checks"),
        result.frame("claim_checks"),
        verdicts.select(*QUESTION_KEY, "judge_id", "unit_score", "confidence"),
    )
    if told.validity.is_empty():
        raise InputError(
            "no label is on a check of this result",
            where=str(labels),
            got=f"{told.n_unknown:,} labels",
            hint="the labels' model_id, task_id, run_index and item have to be those of the result",
        )
    return told


def read_labels(path: Path) -> pl.DataFrame:
    """Read labels.

    Returns:
        `LABEL_COLUMNS`; an equal copy counts once.

    Raises:
        InputError: A line is no label, or two labels on one check differ.
    """
    rows = list(_labels(path))
    labels = pl.DataFrame(rows, schema=LABEL_COLUMNS, orient="row").unique(maintain_order=True)
    twice = labels.filter(labels.select(pl.exclude("label")).is_duplicated())
    if not twice.is_empty():
        raise InputError(
            "two labels on one check differ",
            where=str(path),
            got=" ".join(map(str, twice.row(0)[:-1])),
            hint="leave out checks that readers do not agree on",
        )
    return labels


def _replayed(result: ResultFolder, store: Path, packs: Path | None) -> pl.DataFrame:
    tasks = load_catalogue(packs or packs_of(result)).tasks
    runs = cut_batches(result.frame("runs"), batch_runs=_BATCH_RUNS)
    verdicts = replay_store(store, runs=runs, tasks=tasks).verdicts
    return verdicts.select(REPLAYED_COLUMNS)


def _labels(path: Path) -> Iterator[tuple[Any, ...]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as fault:
        raise InputError("the labels cannot be read", where=str(path), got=str(fault)) from fault
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _label(line, f"{path}, line {number}")


def _label(line: bytes, where: str) -> tuple[Any, ...]:
    expected = (
        "an object with model_id, task_id, run_index, item (fact:ID or a claim id) and label (true or false)"
    )
    names = ("model_id", "task_id", "run_index", "item", "label")
    types: tuple[type, ...] = (str, str, int, str, bool)
    try:
        found = json.loads(line)
        values = tuple(found[name] for name in names)
    except (ValueError, KeyError, TypeError) as fault:
        raise InputError("a line is no label", where=where, got=repr(fault), expected=expected) from fault
    if not all(type(value) is kind for value, kind in zip(values, types, strict=True)):
        raise InputError("a line is no label", where=where, got=repr(values), expected=expected)
    return values
