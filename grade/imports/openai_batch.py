"""Results of the OpenAI batch interface: a line per request, of chat completions or of responses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from grade.imports.answer import Answer, Skip, first, mapping, number, text_or_none

_OK: Final = 200


def is_openai_batch(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a line of a batch's output or error file."""
    return "custom_id" in record and ("response" in record or "error" in record)


def read_openai_batch(record: Mapping[str, Any]) -> Answer:
    """Read one line.

    Raises:
        Skip: The request failed, or the line is of another format.
    """
    if not is_openai_batch(record):
        raise Skip("other_format", "no custom_id with a response or an error")
    response = mapping(record.get("response"))
    body = mapping(response.get("body"))
    failure = mapping(record.get("error")) or mapping(body.get("error"))
    if failure or response.get("status_code") != _OK:
        detail = failure.get("message") or failure.get("code") or f"status {response.get('status_code')}"
        raise Skip("failed_request", str(detail))
    text, finish = _chat(body) if "choices" in body else _responses(body)
    if text is None:
        raise Skip("no_answer", "the response holds no text")
    usage = mapping(body.get("usage"))
    return Answer(
        text=text,
        name=text_or_none(record.get("custom_id")),
        model_id=text_or_none(body.get("model")),
        record=record,
        metadata={
            "prompt_tokens": usage.get("prompt_tokens", usage.get("input_tokens")),
            "completion_tokens": usage.get("completion_tokens", usage.get("output_tokens")),
            "timestamp_utc": _time(body.get("created", body.get("created_at"))),
            "model_temperature": body.get("temperature"),
            "finish_reason": finish,
            "provider": "openai",
        },
    )


def _chat(body: Mapping[str, Any]) -> tuple[str | None, str | None]:
    choice = mapping(first(body.get("choices")))
    message = mapping(choice.get("message"))
    content = message.get("content", choice.get("text"))
    if content is None:
        content = message.get("refusal")
    return joined_text(content), text_or_none(choice.get("finish_reason"))


def _responses(body: Mapping[str, Any]) -> tuple[str | None, str | None]:
    output = body.get("output")
    parts = [
        part.get("text", part.get("refusal"))
        for item in (output if isinstance(output, list) else [])
        if mapping(item).get("type") == "message"
        for part in map(mapping, item.get("content") or [])
    ]
    texts = [part for part in parts if isinstance(part, str)]
    reason = mapping(body.get("incomplete_details")).get("reason")
    cut_off = "length" if reason == "max_output_tokens" else text_or_none(reason)
    return ("".join(texts) if texts else None), cut_off or (
        "stop" if body.get("status") == "completed" else None
    )


def joined_text(content: object) -> str | None:
    """Return a message's text, whether it is given as text or in parts; None without any."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [mapping(part).get("text") for part in content]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _time(seconds: object) -> str | None:
    """Return a time in seconds since 1970 as RFC 3339, None for anything else."""
    value = number(seconds)
    try:
        return None if value is None else datetime.fromtimestamp(int(value), UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None
