"""One verdict as it is written in a file: its fields and their types.

A score is never read out of something else: 4.5, true, "4 - good", 87 and "nan" are refused.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Final, Literal

import msgspec

from grade.ingest.decoding import Unfit
from grade.ingest.limits import Limits

Unit = Annotated[float, msgspec.Meta(ge=0, le=1)]


class JudgedFinding(msgspec.Struct, gc=False, omit_defaults=True):
    """Something that the judge found."""

    severity: Literal["critical", "high", "medium", "low", "info"]
    title: str
    description: str | None = None
    code: str | None = None


class VerdictRecord(msgspec.Struct, gc=False, omit_defaults=True):
    """One judgement of one run's dimension or claim by one judge."""

    model_id: str
    task_id: str
    run_index: Annotated[int, msgspec.Meta(ge=0, le=2**62)]
    judge_id: str
    dimension: str | None = None
    claim_id: str | None = None
    score: Literal["pass", "partial", "fail"] | None = None
    int_score: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None
    numeric_score: Unit | None = None
    confidence: Unit | None = None
    reasoning: str | None = None
    findings: list[JudgedFinding] | None = None


class Judgement(msgspec.Struct, gc=False):
    """A verdict that was read.

    Attributes:
        record: The verdict; no findings are None.
        content_hash: SHA-256 of its canonical JSON, its first 32 digits.
    """

    record: VerdictRecord
    content_hash: str


_DECODER: Final = msgspec.json.Decoder(VerdictRecord)
_ENCODER: Final = msgspec.json.Encoder()


def read_judgement(text: bytes, *, limits: Limits) -> Judgement:
    """Read one verdict from its JSON text.

    Raises:
        Unfit, msgspec.DecodeError, UnicodeDecodeError, RecursionError: The text is no such verdict.
    """
    return finish_judgement(_DECODER.decode(text.decode()), limits=limits)


def finish_judgement(record: VerdictRecord, *, limits: Limits) -> Judgement:
    """Check a decoded verdict and hash it.

    Raises:
        Unfit: An id is blank, or the list of findings too long.
    """
    if not (record.model_id.strip() and record.task_id.strip() and record.judge_id.strip()):
        raise Unfit("empty_id", "model_id, task_id and judge_id must not be blank")
    if record.findings and len(record.findings) > limits.max_entries:
        raise Unfit(
            "too_many_entries",
            f"findings has {len(record.findings):,} entries; the limit is {limits.max_entries:,}",
        )
    record.findings = record.findings or None
    return Judgement(record, hashlib.sha256(_ENCODER.encode(record)).hexdigest()[:32])
