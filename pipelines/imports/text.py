"""Raw answers: a file each, or a field of a JSON record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from grade.imports.answer import Answer, Skip
from grade.imports.places import lookup
from pipelines.imports.files import AnswerFile

TEXT_SUFFIXES: Final = (".md", ".markdown", ".txt", ".text")
"""Endings of files that are an answer each."""

TEXT_FIELDS: Final = ("raw_response_text", "answer", "response", "completion", "output", "text", "content")
"""Where an answer is looked for in a record when nothing is said."""

_METADATA: Final = (
    *("latency_ms", "cost_usd", "prompt_tokens", "completion_tokens", "model_temperature"),
    *("timestamp_utc", "provider", "finish_reason"),
)


def read_text(file: AnswerFile) -> Iterator[Answer]:
    """Read a Markdown or text file as one answer, or a JSON file as an answer a record."""
    if file.found.suffix not in TEXT_SUFFIXES:
        yield from file.read_each(lambda record: _read_record(record, file.options.get("text_field")))
        return
    text = file.text()
    if text is not None:
        yield Answer(text=text)


def _read_record(record: Mapping[str, Any], field: str | None) -> Answer:
    names = [field] if field else TEXT_FIELDS
    text = next((found for name in names if isinstance(found := lookup(record, name), str)), None)
    if text is None:
        raise Skip("no_answer", f"no text in {' or '.join(names)}")
    own = record.get("runtime_metadata")
    about = own if isinstance(own, Mapping) else record
    return Answer(
        text=text,
        name=_text(record, "id") or _text(record, "file"),
        task_id=_text(record, "task_id"),
        model_id=_text(record, "model_id"),
        run_index=_index(record.get("run_index")),
        record=record,
        metadata={name: about.get(name) for name in _METADATA},
    )


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
