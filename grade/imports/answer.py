"""An answer as a reader of another format hands it on, and what it says of a record without one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_TEXTS: Final = ("adapter_version", "timestamp_utc", "provider", "finish_reason")
_AMOUNTS: Final = ("latency_ms", "cost_usd")
_COUNTS: Final = ("prompt_tokens", "completion_tokens")
_MOST: Final = 2**62


class Skip(Exception):  # noqa: N818 - a finding about a record, told on in the summary
    """A record that gives no answer.

    Args:
        reason: A code of `grade.imports.reasons` or `grade.ingest.reasons`.
        detail: The reason in words.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of another program's file.

    Attributes:
        text: The raw answer; "" is an answer too.
        task_id: The task as the format names it, None where it does not.
        model_id: The model as the format names it, None where it does not.
        run_index: Which of the model's answers this is, None to count them in order.
        name: What a mapping file or pattern finds it by; None takes the file's name.
        record: The decoded record, for `--task-field` and the like.
        metadata: What the format knows of `runtime_metadata`.
        fields: Scored fields that the record already has; they take the place of what is read from the text.
        original: The record as text, None where it is `text` itself.
        line: Where it stands, from 1; None where lines say nothing.
    """

    text: str
    task_id: str | None = None
    model_id: str | None = None
    run_index: int | None = None
    name: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    original: str | None = None
    line: int | None = None


def kept_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of some metadata can stand in a run: known names with sound values.

    Examples:
        >>> kept_metadata({"latency_ms": 5, "cost_usd": float("nan"), "prompt_tokens": -1, "seed": 3})
        {'latency_ms': 5.0}
    """
    kept: dict[str, Any] = {name: metadata[name] for name in _TEXTS if isinstance(metadata.get(name), str)}
    for name in _AMOUNTS:
        value = number(metadata.get(name))
        if value is not None and value >= 0:
            kept[name] = value
    temperature = number(metadata.get("model_temperature"))
    if temperature is not None:
        kept["model_temperature"] = temperature
    for name in _COUNTS:
        count = number(metadata.get(name))
        if count is not None and count.is_integer() and 0 <= count <= _MOST:
            kept[name] = int(count)
    return kept


def number(value: object) -> float | None:
    """Return a finite number as a float, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


def text_or_none(value: object) -> str | None:
    """Return an id as text: text that is not blank, or a whole number; None for anything else."""
    if isinstance(value, str):
        return value if value.strip() else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object, or an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else {}


def first(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return the first item of a list, None for an empty one and for anything else."""
    return value[0] if isinstance(value, list) and value else None
