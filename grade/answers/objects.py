"""Answers, or parts of answers, that are JSON with the fields that are scored."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from grade.answers.blocks import Span

_LISTS: Final = ("key_findings", "limitations")
_FIELDS: Final = frozenset({*_LISTS, "structured_metrics", "evidence_citations"})
_OPENING: Final = re.compile(r"\s*+[`~]{3,}+[^\n]*\n")
_CLOSING: Final = re.compile(r"[ \t>]*+[`~]{3,}+")


class ReadObject(NamedTuple):
    """What a JSON object of an answer holds.

    Attributes:
        key_findings: Findings with their places.
        limitations: Caveats with their places.
        metrics: Metrics by name.
        citations: Text, file and column of each.
    """

    key_findings: list[tuple[str, Span]]
    limitations: list[tuple[str, Span]]
    metrics: dict[str, Any]
    citations: list[tuple[str, str | None, str | None]]


def read_object(text: str, span: Span) -> ReadObject | None:
    """Read a block of code as JSON with scored fields, or as an object of numbers; None for other code."""
    found = _decoded(_within_fences(text[span.start : span.end]))
    if not isinstance(found, dict):
        return None
    if _FIELDS.isdisjoint(found):
        is_flat = bool(found) and all(isinstance(value, int | float | str) for value in found.values())
        has_number = any(
            isinstance(value, int | float) and not isinstance(value, bool) for value in found.values()
        )
        return ReadObject([], [], found, []) if is_flat and has_number else None
    metrics = found.get("structured_metrics")
    findings, caveats = (_located(text, span, found.get(name)) for name in _LISTS)
    citations = _citations(found.get("evidence_citations"))
    return ReadObject(findings, caveats, metrics if isinstance(metrics, dict) else {}, citations)


def _within_fences(block: str) -> str:
    opening = _OPENING.match(block)
    inner = block[opening.end() :] if opening else block
    body, _, last = inner.rstrip().rpartition("\n")
    return body if _CLOSING.fullmatch(last) else inner


def _decoded(code: str) -> Any:  # noqa: ANN401 - any JSON value
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return json.loads(code, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def _located(text: str, span: Span, entries: object) -> list[tuple[str, Span]]:
    """Pair each text of a list with its place; with the whole object's where it is written in another way."""
    found: list[tuple[str, Span]] = []
    cursor = span.start
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, str) or not entry.strip():
            continue
        literal = json.dumps(entry, ensure_ascii=False)
        start = text.find(literal, cursor, span.end) if cursor >= 0 else -1
        cursor = start + len(literal) if start >= 0 else -1
        found.append((entry, Span(start + 1, cursor - 1) if start >= 0 else span))
    return found


def _citations(entries: object) -> list[tuple[str, str | None, str | None]]:
    found: list[tuple[str, str | None, str | None]] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, str) and entry.strip():
            found.append((entry, None, None))
        elif isinstance(entry, dict):
            file, column = _text(entry.get("source_file")), _text(entry.get("source_column"))
            words = _text(entry.get("citation_text")) or ", column ".join(
                part for part in (file, column) if part
            )
            if words:
                found.append((words, file, column))
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
