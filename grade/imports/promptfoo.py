"""Results of promptfoo: one JSON document with all results, or a line per result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from grade.imports.answer import Answer, Skip, mapping, text_or_none

_NAMES: Final = ("task_id", "task", "id")


def is_promptfoo(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a document of results, or one result."""
    return bool(results_of(record)) or _is_result(record)


def results_of(document: Mapping[str, Any]) -> list[Any]:
    """Return the results of a document, in either of the layouts that have been in use."""
    results = document.get("results")
    inner = results.get("results") if isinstance(results, Mapping) else results
    return inner if isinstance(inner, list) and inner and _is_result(mapping(inner[0])) else []


def _is_result(record: Mapping[str, Any]) -> bool:
    return "provider" in record and ("response" in record or "error" in record) and "vars" in record


def read_promptfoo(record: Mapping[str, Any]) -> Iterator[Answer | Skip]:
    """Read a document or one result; results that give no answer are told among the answers."""
    results = results_of(record)
    if not results and not _is_result(record):
        raise Skip("other_format", "no promptfoo results")
    for result in results or [record]:
        try:
            yield _read(mapping(result), is_part=bool(results))
        except Skip as skip:
            yield skip


def _read(result: Mapping[str, Any], *, is_part: bool) -> Answer:
    response = mapping(result.get("response"))
    output = response.get("output")
    if output is None:
        fault = result.get("error") or response.get("error")
        raise Skip("failed_request" if fault else "no_answer", str(fault or "the response has no output"))
    provider = result.get("provider")
    usage = mapping(response.get("tokenUsage")) or mapping(result.get("tokenUsage"))
    described = mapping(provider)
    model = described.get("id") if described else provider
    return Answer(
        text=output if isinstance(output, str) else _written(output),
        task_id=_task(result),
        model_id=text_or_none(described.get("label")) or text_or_none(model),
        record=result,
        metadata={
            "latency_ms": result.get("latencyMs"),
            "cost_usd": result.get("cost", response.get("cost")),
            "prompt_tokens": usage.get("prompt"),
            "completion_tokens": usage.get("completion"),
            "finish_reason": response.get("finishReason"),
            "provider": str(model).partition(":")[0] if ":" in str(model) else None,
        },
        original=_written(result) if is_part else None,
    )


def _task(result: Mapping[str, Any]) -> str | None:
    test = mapping(result.get("testCase"))
    places = [mapping(result.get("vars")), mapping(result.get("metadata")), mapping(test.get("metadata"))]
    for place in places:
        for name in _NAMES:
            if (task := text_or_none(place.get(name))) is not None:
                return task
    return text_or_none(test.get("description"))


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
