"""Gold content as records: what a task file holds, one struct per object.

Field names are those of the public GRADE benchmark, so that its files load unchanged. The
extensions of the method (`string_value`, `metric_keys`, `unit`, `calibration`, `sql`) are
optional members.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class GoldFact(msgspec.Struct, frozen=True):
    """A statement that a right answer makes, with its value where it has one."""

    fact_id: str
    claim: str
    source_files: tuple[str, ...] = ()
    numeric_value: float | None = None
    tolerance: float | str | None = None
    string_value: str | None = None
    metric_keys: tuple[str, ...] = ()
    unit: Literal["fraction", "percent", "points", "count", "score"] | None = None
    sql: str | None = None


class GoldInsight(msgspec.Struct, frozen=True):
    """A higher-order finding; `calibration` marks one about uncertainty or scope."""

    text: str
    calibration: bool = False


class RubricEntry(msgspec.Struct, frozen=True):
    """A dimension's weight within one task, and what a judge should look for."""

    weight: float
    guidance: str | None = None


class Task(msgspec.Struct, frozen=True):
    """A benchmark task with its gold content."""

    task_id: str
    track: int
    title: str
    user_prompt: str
    task_type: str
    allowed_inputs: tuple[str, ...]
    gold_facts: tuple[GoldFact, ...]
    gold_insights: tuple[GoldInsight, ...]
    required_limitations: tuple[str, ...]
    forbidden_claims: tuple[str, ...]
    rubric: dict[str, RubricEntry]
    pack_id: str
    reference_answer_outline: str | None = None
    extra: dict[str, Any] = {}
