"""Stage ingest, runs: records of a run file -> a frame of runs with their places, and refusals.

The frame has the columns of RUNS, except what the catalogue adds (pack_id, track), and those of
`PLACE`, which validation needs to tell where a refused record stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import polars as pl

from grade.ingest.answers import Answer, Metadata, read_answer
from grade.ingest.arrow import (
    boolean_column,
    float_column,
    integer_column,
    list_column,
    struct_column,
    text_column,
)
from grade.ingest.batch import Records
from grade.ingest.decoding import Decoded, decode_all
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.places import PLACE, place_columns
from grade.ingest.refusals import Refusal
from grade.schemas import RUNS

RUN_COLUMNS: Final = tuple(name for name in RUNS.columns if name not in {"pack_id", "track"})
"""The columns of RUNS that a record itself has."""

_NO_METADATA: Final = Metadata()
_TEXTS: Final = ("adapter_version", "timestamp_utc", "provider", "finish_reason")
_FLOATS: Final = ("latency_ms", "cost_usd", "model_temperature")
_COUNTS: Final = ("prompt_tokens", "completion_tokens")


class RunBatch(NamedTuple):
    """The runs of a batch, and what was refused; together they are all its records.

    Attributes:
        runs: `RUN_COLUMNS`, then `PLACE`.
        refused: The other records.
    """

    runs: pl.DataFrame
    refused: list[Refusal]


def decode_runs(records: Records, *, limits: Limits = DEFAULT_LIMITS) -> RunBatch:
    """Decode a batch of JSON records as runs.

    Args:
        records: As cut by `cut_records`.
        limits: What a record may hold at most.
    """
    return run_batch(decode_all(records, partial(read_answer, limits=limits)))


def run_batch(decoded: Decoded[Answer]) -> RunBatch:
    """Return decoded runs as columns."""
    answers, places = decoded.values, decoded.records
    columns = {**_answer_columns(answers), **_metadata_columns(answers)}
    frame = pl.DataFrame([columns[name].alias(name) for name in RUN_COLUMNS])
    return RunBatch(frame.with_columns(place_columns(places)), places.refused)


def empty_runs() -> pl.DataFrame:
    """Return the frame of a batch without runs."""
    types = {name: RUNS.dtypes[name] for name in RUN_COLUMNS}
    return pl.DataFrame(schema={**types, **PLACE})


def _answer_columns(answers: Sequence[Answer]) -> dict[str, pl.Series]:
    records = [answer.record for answer in answers]
    cited = [record.evidence_citations or [] for record in records]
    citations = [citation for citations in cited for citation in citations if citation is not None]
    return {
        "model_id": text_column([record.model_id for record in records]),
        "task_id": text_column([record.task_id for record in records]),
        "run_index": integer_column([record.run_index for record in records]),
        "key_findings": list_column([record.key_findings or [] for record in records]),
        "limitations": list_column([record.limitations or [] for record in records]),
        "raw_response_text": text_column([record.raw_response_text for record in records]),
        "structured_metrics": text_column([answer.metrics for answer in answers]),
        "input_flags": list_column([answer.flags for answer in answers]),
        "content_hash": text_column([answer.content_hash for answer in answers]),
        "evidence_citations": struct_column(
            [len(citations) for citations in cited],
            citation_text=text_column([citation.citation_text for citation in citations]),
            source_file=text_column([citation.source_file for citation in citations]),
            source_column=text_column([citation.source_column for citation in citations]),
            grounded=boolean_column([citation.grounded for citation in citations]),
        ),
    }


def _metadata_columns(answers: Sequence[Answer]) -> dict[str, pl.Series]:
    metadata = [answer.record.runtime_metadata or _NO_METADATA for answer in answers]
    kinds = ((_TEXTS, text_column), (_FLOATS, float_column), (_COUNTS, integer_column))
    return {
        name: column([getattr(entry, name) for entry in metadata])
        for names, column in kinds
        for name in names
    }
