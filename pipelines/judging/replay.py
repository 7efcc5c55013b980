"""A verdict store as verdicts: what `grade score` and `grade judge export` read out of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from grade.db import Database
from grade.ingest.batch import Records
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.verdicts import decode_verdicts, empty_verdicts
from grade.judging.answers import write_answers
from grade.judging.items import list_items
from grade.judging.questions import list_questions
from grade.judging.replay import REPLAYED_COLUMNS, Replayed, replay
from grade.judging.tables import JUDGEMENTS, QUESTION_KEY
from grade.judging.usage import summarise_judging
from grade.models import Task
from grade.schemas import RUNS
from pipelines.judging.assets import load_templates
from pipelines.judging.store import MARKER, read_store
from pipelines.sources import InputFile

_READ: Final = tuple(name for name in JUDGEMENTS.columns if name != "raw_replies")


class StoreVerdicts(NamedTuple):
    """A store as `grade score` takes it in.

    Attributes:
        records: Verdicts as `grade.ingest.verdicts.decode_verdicts` gives them for a file. A judge
            who was asked and could not be read has a record without a score, which validation
            refuses and counts among those who were asked.
        used: The judgements behind them, see `Replayed.used`.
        inputs: The store's files, sorted by name.
    """

    records: pl.DataFrame
    used: pl.DataFrame
    inputs: tuple[InputFile, ...]


def read_store_verdicts(
    store: Path, *, runs: Iterable[pl.DataFrame], tasks: Sequence[Task], limits: Limits = DEFAULT_LIMITS
) -> StoreVerdicts:
    """Read the verdicts on runs out of a store, ready for `grade.validate.validate_verdicts`.

    An exported file and the store itself give equal verdicts, so that naming both does no harm.

    Args:
        store: The folder.
        runs: RUNS, in pieces of any size.
        tasks: The catalogue's tasks.
        limits: What a record may hold at most.

    Raises:
        InputError: There is no store, or it is damaged.
    """
    found = replay_store(store, runs=runs, tasks=tasks)
    return StoreVerdicts(_records(found, store.as_posix(), limits), found.used, _inputs(store))


def sum_up(stores: Sequence[StoreVerdicts], *, database: Database | None = None) -> pl.DataFrame:
    """Return JUDGE_USAGE of stores together; a judgement that is in several counts once."""
    used = pl.concat([JUDGEMENTS.empty().select(_READ), *(store.used for store in stores)])
    once = used.unique((*QUESTION_KEY, "verdict_key"), keep="first", maintain_order=True)
    return summarise_judging(once, database=database)


def replay_store(store: Path, *, runs: Iterable[pl.DataFrame], tasks: Sequence[Task]) -> Replayed:
    """Return the stored verdicts on runs, found by what the judge was shown.

    The same store serves any result: runs that are added, renamed or scored anew find their
    verdicts as long as task, guidance, gold text, answer and prompt are the same. No key and no
    network is needed, and nothing in the store is changed.

    Args:
        store: The folder.
        runs: RUNS, in pieces of any size.
        tasks: The catalogue's tasks.

    Raises:
        InputError: There is no store, or it is damaged.
    """
    judgements = read_store(store, _READ)
    items = list_items(tasks, load_templates())
    with Database() as database:
        parts = [
            replay(list_questions(write_answers(piece), items, database=database), judgements)
            for piece in (RUNS.empty(), *runs)
        ]
    verdicts, unscored, used = zip(*parts, strict=True)
    return Replayed(pl.concat(verdicts), pl.concat(unscored), pl.concat(used))


def _records(found: Replayed, file: str, limits: Limits) -> pl.DataFrame:
    records = Records(file)
    for row in found.verdicts.select(REPLAYED_COLUMNS).to_dicts():
        records.add(row, line=None, offset=None, raw=b"")
    for row in found.unscored.to_dicts():
        records.add(row, line=None, offset=None, raw=json.dumps(row, ensure_ascii=False).encode())
    return pl.concat([empty_verdicts(), decode_verdicts(records, limits=limits).verdicts])


def _inputs(store: Path) -> tuple[InputFile, ...]:
    paths = sorted([store / MARKER, *store.glob("parts/*.parquet"), *store.glob("journals/*.jsonl")])
    told = []
    for path in paths:
        data = path.read_bytes()
        told.append(InputFile(path.as_posix(), hashlib.sha256(data).hexdigest(), len(data)))
    return tuple(told)
