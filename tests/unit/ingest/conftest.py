"""Small runs, verdicts and tasks, and the way from bytes to what was made of them."""

from __future__ import annotations

import json

import pytest

from grade.dimensions import WEIGHTS
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.records import cut_records
from grade.ingest.runs import decode_runs
from grade.ingest.verdicts import decode_verdicts


@pytest.fixture
def run():
    """Make one run; fields given replace or, when they are ..., remove its own."""

    def make(**changes):
        record = {
            "task_id": "T-1",
            "model_id": "acme/a",
            "run_index": 0,
            "structured_metrics": {"students": 135, "by_school": [{"id": "SCH-001", "n": 60.5}]},
            "key_findings": ["135 students.", "An “odd” one: é \u2028 x"],
            "limitations": ["A snapshot."],
            "evidence_citations": [{"citation_text": "rows", "source_file": "students.csv"}],
            "runtime_metadata": {
                "timestamp_utc": "2026-06-01T09:00:00Z",
                "latency_ms": 3,
                "prompt_tokens": 7,
            },
            "raw_response_text": "All of it.",
        } | changes
        return {name: value for name, value in record.items() if value is not ...}

    return make


@pytest.fixture
def verdict():
    """Make one verdict; a field given as ... is left out."""

    def make(**changes):
        record = {
            "model_id": "acme/a",
            "task_id": "T-1",
            "run_index": 0,
            "dimension": "evidence_linkage",
            "judge_id": "j1",
            "score": "pass",
        } | changes
        return {name: value for name, value in record.items() if value is not ...}

    return make


@pytest.fixture
def task():
    """Make one valid task."""

    def make(**changes):
        record = {
            "task_id": "T-1",
            "track": 1,
            "title": "Count",
            "user_prompt": "How many?",
            "task_type": "retrieval",
            "allowed_inputs": ["students.csv"],
            "gold_facts": [{"fact_id": "F1", "claim": "135 students.", "numeric_value": 135, "tolerance": 0}],
            "gold_insights": ["It grew."],
            "required_limitations": [],
            "forbidden_claims": [],
            "rubric": {key: {"weight": weight / 100} for key, weight in WEIGHTS.items()},
        } | changes
        return {name: value for name, value in record.items() if value is not ...}

    return make


def text(record) -> bytes:
    return record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()


def _read(decode, records, *, is_document=False, limits=DEFAULT_LIMITS):
    data = records if isinstance(records, bytes) else b"".join(text(record) + b"\n" for record in records)
    batches = [
        decode(batch, limits=limits)
        for batch in cut_records([data], file="f.jsonl", is_document=is_document, limits=limits)
    ]
    rows = [row for frame, _ in batches for row in frame.to_dicts()]
    return rows, [refusal for _, refused in batches for refusal in refused]


@pytest.fixture
def read_runs():
    """Read runs from bytes, or from records written a line each: rows, refusals."""

    def read(records, *, is_document=False, **limits):
        return _read(decode_runs, records, is_document=is_document, limits=Limits(**limits))

    return read


@pytest.fixture
def read_verdicts():
    """Read verdicts as `read_runs` does runs."""

    def read(records):
        return _read(decode_verdicts, records)

    return read
