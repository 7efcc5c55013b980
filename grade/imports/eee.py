"""Instance files of every_eval_ever: a line per evaluated sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grade.imports.answer import Answer, Skip, mapping, text_or_none


def is_eee(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is an instance."""
    return {"evaluation_id", "sample_id", "interaction_type"} <= set(record)


def read_eee(record: Mapping[str, Any]) -> Iterator[Answer]:
    """Read one instance: an answer for each response of a single turn, the last one of a conversation.

    Raises:
        Skip: The instance holds no response, or is of another format.
    """
    if not is_eee(record):
        raise Skip("other_format", "no evaluation_id, sample_id and interaction_type")
    texts = _texts(record)
    if not texts:
        fault = text_or_none(record.get("error"))
        raise Skip("failed_request" if fault else "no_answer", fault or "the instance holds no response")
    usage, performance = mapping(record.get("token_usage")), mapping(record.get("performance"))
    extra = mapping(record.get("metadata"))
    for number, text in enumerate(texts):
        yield Answer(
            text=text,
            task_id=text_or_none(extra.get("task_id")) or text_or_none(record.get("sample_id")),
            model_id=text_or_none(record.get("model_id")),
            run_index=number if len(texts) > 1 else _run(extra),
            record=record,
            metadata={
                "prompt_tokens": usage.get("input_tokens"),
                "completion_tokens": usage.get("output_tokens"),
                "latency_ms": performance.get("latency_ms"),
            },
        )


def _run(extra: Mapping[str, Any]) -> int | None:
    """The run that an instance says it is; metadata of this format are texts."""
    told = extra.get("run_index")
    return int(told) if isinstance(told, str) and told.isdecimal() and len(told) < 18 else None  # noqa: PLR2004


def _texts(record: Mapping[str, Any]) -> list[str]:
    raw = mapping(record.get("output")).get("raw")
    if isinstance(raw, str):
        return [raw]
    if isinstance(raw, list) and raw:
        return [text for text in raw if isinstance(text, str)]
    messages = record.get("messages")
    said = [
        message.get("content")
        for message in map(mapping, messages if isinstance(messages, list) else [])
        if message.get("role") == "assistant"
    ]
    return [text for text in said if isinstance(text, str)][-1:]
