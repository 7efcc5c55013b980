"""Stage ingest, verdicts: records of a verdict file -> a frame of verdicts with their places, and refusals.

The frame has the columns of VERDICTS except `unit_score`, and the rest of a record's place and its
content hash, which validation needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
import polars as pl

from grade.ingest.arrow import float_column, integer_column, struct_column, text_column
from grade.ingest.batch import Records
from grade.ingest.decoding import Decoded, decode_all
from grade.ingest.judgements import Judgement, VerdictRecord, finish_judgement, read_judgement
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.places import PLACE, place_columns
from grade.ingest.refusals import Refusal
from grade.schemas import VERDICTS

VERDICT_COLUMNS: Final = tuple(name for name in VERDICTS.columns if name not in {"unit_score", *PLACE})
"""The columns of VERDICTS that a record itself has."""

_TEXTS: Final = ("model_id", "task_id", "dimension", "claim_id", "judge_id", "score", "reasoning")
_INTEGERS: Final = ("run_index", "int_score")
_FLOATS: Final = ("numeric_score", "confidence")
_FINDING: Final = ("severity", "title", "description", "code")


class VerdictBatch(NamedTuple):
    """The verdicts of a batch, and what was refused; together they are all its records.

    Attributes:
        verdicts: `VERDICT_COLUMNS`, content_hash, then `PLACE`.
        refused: The other records.
    """

    verdicts: pl.DataFrame
    refused: list[Refusal]


def decode_verdicts(records: Records, *, limits: Limits = DEFAULT_LIMITS) -> VerdictBatch:
    """Decode a batch of records as verdicts.

    Args:
        records: JSON texts as cut by `cut_records`, or mappings as read from CSV or Parquet.
        limits: What a record may hold at most.
    """
    return verdict_batch(decode_all(records, partial(_read, limits=limits)))


def empty_verdicts() -> pl.DataFrame:
    """Return the frame of a batch without verdicts."""
    types = {name: VERDICTS.dtypes[name] for name in VERDICT_COLUMNS}
    return pl.DataFrame(schema={**types, "content_hash": pl.String, **PLACE})


def _read(item: bytes | dict[str, object], *, limits: Limits) -> Judgement:
    if isinstance(item, bytes):
        return read_judgement(item, limits=limits)
    return finish_judgement(msgspec.convert(item, VerdictRecord), limits=limits)


def verdict_batch(decoded: Decoded[Judgement]) -> VerdictBatch:
    """Return decoded judgements, and what was refused beside them, as a batch."""
    records = [judgement.record for judgement in decoded.values]
    hashes = text_column([judgement.content_hash for judgement in decoded.values])
    kinds = ((_TEXTS, text_column), (_INTEGERS, integer_column), (_FLOATS, float_column))
    columns = {
        name: column([getattr(record, name) for record in records])
        for names, column in kinds
        for name in names
    }
    columns["findings"] = _finding_column(records)
    frame = pl.DataFrame(
        [columns[name].alias(name) for name in VERDICT_COLUMNS] + [hashes.alias("content_hash")]
    )
    return VerdictBatch(frame.with_columns(place_columns(decoded.records)), decoded.records.refused)


def _finding_column(records: Sequence[VerdictRecord]) -> pl.Series:
    lists = [record.findings or [] for record in records]
    flat = [finding for findings in lists for finding in findings]
    fields = {name: text_column([getattr(finding, name) for finding in flat]) for name in _FINDING}
    return struct_column(map(len, lists), **fields)
