"""Write an answer as a run: the fields that are scored, and beside them where they come from."""

from __future__ import annotations

from typing import Any, Final

from grade.answers.read import ReadAnswer, read_answer
from grade.imports.answer import Answer, kept_metadata, mapping

IMPORTED: Final = "imported"
"""The field of a run file that says where a run comes from; scoring passes over it."""

_LISTS: Final = ("key_findings", "limitations")


def make_run(
    answer: Answer, *, model_id: str, task_id: str, run_index: int, format_name: str, file: str
) -> dict[str, Any]:
    """Return an answer as a record of a run file.

    Args:
        answer: The answer.
        model_id: The model.
        task_id: The task.
        run_index: Which of the model's answers it is.
        format_name: The format that it was read from.
        file: The name of its file.
    """
    read = read_answer(answer.text)
    fields = {**_fields(read), **_given(answer)}
    return {
        "model_id": model_id,
        "task_id": task_id,
        "run_index": run_index,
        **fields,
        "runtime_metadata": {
            "adapter_version": f"grade-import-{format_name}",
            **kept_metadata(answer.metadata),
        },
        "raw_response_text": answer.text,
        IMPORTED: {
            "format": format_name,
            "file": file,
            "line": answer.line,
            "places": _places(read, set(answer.fields)),
            "original": answer.original,
        },
    }


def _fields(read: ReadAnswer) -> dict[str, Any]:
    return {
        "structured_metrics": read.structured_metrics,
        "key_findings": [entry.text for entry in read.key_findings],
        "limitations": [entry.text for entry in read.limitations],
        "evidence_citations": [
            {
                "citation_text": citation.text,
                **({"source_file": citation.file} if citation.file else {}),
                **({"source_column": citation.column} if citation.column else {}),
            }
            for citation in read.evidence_citations
        ],
    }


def _given(answer: Answer) -> dict[str, Any]:
    """The scored fields that a record has by itself, in the types of a run."""
    given: dict[str, Any] = {}
    for name in _LISTS:
        value = answer.fields.get(name)
        if value is not None:
            given[name] = [str(entry) for entry in (value if isinstance(value, list) else [value])]
    if answer.fields.get("structured_metrics") is not None:
        given["structured_metrics"] = dict(mapping(answer.fields["structured_metrics"]))
    citations = answer.fields.get("evidence_citations")
    if isinstance(citations, list):
        given["evidence_citations"] = [
            citation if isinstance(citation, dict) else {"citation_text": str(citation)}
            for citation in citations
        ]
    return given


def _places(read: ReadAnswer, given: set[str]) -> dict[str, Any]:
    """Where in the raw text each field stands: pairs of character offsets, from 0, the end not included."""
    places: dict[str, Any] = {
        "key_findings": [[list(span) for span in entry.spans] for entry in read.key_findings],
        "limitations": [[list(span) for span in entry.spans] for entry in read.limitations],
        "structured_metrics": {name: list(span) for name, span in read.metric_spans.items()},
        "evidence_citations": [list(citation.span) for citation in read.evidence_citations],
    }
    return {name: place for name, place in places.items() if name not in given}
