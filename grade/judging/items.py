"""Stage items: what a judge may be asked about the answers to each task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import polars as pl

from grade.dimensions import JUDGED
from grade.judging.tables import JUDGE_ITEMS
from grade.judging.templates import Template
from grade.models import Task
from grade.schemas import check

CLAIM_TEMPLATE: Final = "claim"
"""The template of every claim question, whatever the claim is to the task."""

_NO_GUIDANCE: Final = "This task gives no guidance of its own; the general criteria above apply."

_Row = tuple[str | None, str | None, str, str]


def list_items(tasks: Iterable[Task], templates: Mapping[str, Template]) -> pl.DataFrame:
    """List the dimensions and claims that may be judged.

    A claim is asked about in the same words whether the task wants it or forbids it, so that the
    judge cannot tell which. Facts with a number are left to matching.

    Args:
        tasks: The catalogue.
        templates: The template of each judged dimension and of `claim`, by those names.

    Returns:
        JUDGE_ITEMS.
    """
    rows = [
        _named(task, row, templates[row[0] or CLAIM_TEMPLATE])
        for task in tasks
        for row in (*_dimensions(task), *_claims(task))
    ]
    frame = pl.DataFrame(rows, schema=JUDGE_ITEMS.dtypes).sort(JUDGE_ITEMS.key)
    return check(frame, JUDGE_ITEMS, where="list_items")


def _named(task: Task, row: _Row, template: Template) -> dict[str, Any]:
    dimension, claim_id, kind, subject = row
    return {
        "task_id": task.task_id,
        "dimension": dimension,
        "claim_id": claim_id,
        "kind": kind,
        "template": template.name,
        "template_text": template.text,
        "task_text": _task_text(task),
        "subject": subject,
    }


def _dimensions(task: Task) -> Iterator[_Row]:
    for key in JUDGED:
        entry = task.rubric.get(key)
        guidance = entry.guidance if entry is not None else None
        yield key, None, "dimension", (guidance or "").strip() or _NO_GUIDANCE


def _claims(task: Task) -> Iterator[_Row]:
    insights = [insight.text for insight in task.gold_insights]
    for kind, texts in (
        ("insight", insights),
        ("limitation", task.required_limitations),
        ("forbidden", task.forbidden_claims),
    ):
        yield from ((None, f"{kind}:{place}", kind, text) for place, text in enumerate(texts))
    for fact in task.gold_facts:
        if fact.numeric_value is None:
            yield None, f"fact:{fact.fact_id}", "fact", fact.claim


def _task_text(task: Task) -> str:
    """The question, and the names of its data files; never what stands in them."""
    files = ", ".join(task.allowed_inputs) or "none"
    return f"{task.user_prompt.strip()}\n\nData files that the question is about: {files}"
