"""One run as it is written in a file: its fields, their types, and what is checked of them.

The structs below are the whole of what is read; other fields are ignored. Types are strict: a
number as text, a boolean as a number or a fraction as a count is refused, never converted.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Final, TypeVar

import msgspec

from grade.ingest.decoding import Unfit
from grade.ingest.limits import Limits
from grade.ingest.metrics import metrics_text

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

NULL_DROPPED: Final = "null_entry_dropped"
"""Flag of a run from whose lists null entries were dropped."""

REPEATED_KEY: Final = "repeated_key_last_counts"
"""Flag of a run some object of which gives a key twice; the last value counts."""


class Citation(msgspec.Struct, gc=False, omit_defaults=True):
    """A source that the answer names."""

    citation_text: str
    source_file: str | None = None
    source_column: str | None = None
    grounded: bool | None = None


class Metadata(msgspec.Struct, gc=False, omit_defaults=True):
    """How the answer was made."""

    adapter_version: str | None = None
    timestamp_utc: str | None = None
    latency_ms: Amount | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cost_usd: Amount | None = None
    model_temperature: float | None = None
    provider: str | None = None
    finish_reason: str | None = None


class RunRecord(msgspec.Struct, gc=False, omit_defaults=True):
    """One answer of one model to one task."""

    task_id: str
    model_id: str
    run_index: Count
    structured_metrics: dict[str, Any] | None = None
    key_findings: list[str | None] | None = None
    limitations: list[str | None] | None = None
    evidence_citations: list[Citation | None] | None = None
    runtime_metadata: Metadata | None = None
    raw_response_text: str | None = None


class Answer(msgspec.Struct, gc=False):
    """A run that was read.

    Attributes:
        record: The run; its lists hold no nulls, and an empty one is None.
        metrics: structured_metrics as compact JSON text.
        flags: What had to be mended, sorted.
        content_hash: SHA-256 of the run's canonical JSON, its first 32 digits.
    """

    record: RunRecord
    metrics: bytes
    flags: list[str]
    content_hash: str


_DECODER: Final = msgspec.json.Decoder(RunRecord)
_ENCODER: Final = msgspec.json.Encoder()
_PLAIN: Final = msgspec.json.Decoder()
_IDENTITY: Final = ("task_id", "model_id", "run_index")


def read_answer(text: bytes, *, limits: Limits) -> Answer:
    """Read one run from its JSON text.

    Raises:
        Unfit, msgspec.DecodeError, UnicodeDecodeError, RecursionError: The text is no such run.
    """
    record = _DECODER.decode(text.decode())
    # A quote inside a text is escaped, so that these are keys (or, rarely, whole values).
    if text.count(b'"task_id"') > 1 or text.count(b'"model_id"') > 1 or text.count(b'"run_index"') > 1:
        _refuse_doubled(text)
    return finish(record, limits=limits, text=text)


def finish(record: RunRecord, *, limits: Limits, text: bytes = b"") -> Answer:
    """Check and mend a decoded run, in place, and hash it.

    Args:
        record: The run.
        limits: What it may hold at most.
        text: The JSON text that it was read from, to be looked through for repeated keys.

    Raises:
        Unfit: An id is blank, a list too long, or the metrics cannot be kept.
    """
    if not record.task_id.strip() or not record.model_id.strip():
        raise Unfit("empty_id", "task_id and model_id must not be blank")
    metrics, flags = metrics_text(
        record.structured_metrics, max_depth=limits.max_depth, max_values=limits.max_metrics
    )
    most = limits.max_entries
    record.key_findings = _entries("key_findings", record.key_findings, most, flags)
    record.limitations = _entries("limitations", record.limitations, most, flags)
    record.evidence_citations = _entries("evidence_citations", record.evidence_citations, most, flags)
    record.structured_metrics = msgspec.Raw(metrics)  # type: ignore[assignment] # from here on only hashed
    written = _ENCODER.encode(record)
    if _repeats_keys(text, written):
        flags.add(REPEATED_KEY)
    return Answer(record, metrics, sorted(flags), hashlib.sha256(written).hexdigest()[:32])


def _entries(name: str, entries: list[T | None] | None, most: int, flags: set[str]) -> list[T | None] | None:
    """Return a list without its null entries; None stands for an empty one."""
    if not entries:
        return None
    if len(entries) > most:
        raise Unfit("too_many_entries", f"{name} has {len(entries):,} entries; the limit is {most:,}")
    if None in entries:
        flags.add(NULL_DROPPED)
        return [entry for entry in entries if entry is not None] or None
    return entries


def _repeats_keys(text: bytes, written: bytes) -> bool:
    """Tell whether some object of a text gives a key twice.

    Written out again, an object has each key once; only a text with more keys is looked at closely.
    """
    n_keys = text.count(b'":') + text.count(b'" :')
    if n_keys <= written.count(b'":'):
        return False
    if n_keys == _ENCODER.encode(_PLAIN.decode(text)).count(b'":'):
        return False
    lost: list[int] = []
    json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, lost))
    return bool(lost)


def _object(pairs: list[tuple[str, Any]], lost: list[int]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        lost.append(len(pairs) - len(made))
    return made


def _refuse_doubled(text: bytes) -> None:
    keys = [key for key, _ in json.loads(text, object_pairs_hook=list)]
    for name in _IDENTITY:
        if keys.count(name) > 1:
            raise Unfit("duplicate_key_in_object", f"{name} is given {keys.count(name)} times")
