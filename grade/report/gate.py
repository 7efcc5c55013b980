"""A gate's outcome for machines: JUnit XML, and annotations of a code host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

import polars as pl

from grade.columns import STATUSES

_FORBIDDEN_IN_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHOWN_TASKS: Final = 10


class GateCase(NamedTuple):
    """One model at the gate.

    Attributes:
        model_id: The model.
        status: Its decision.
        rule: The rule that decided.
        rationale: The decision in a sentence.
        is_met: The decision is as good as the gate asks, or better.
        worse_tasks: Tasks whose decisions are worse than that, worst first, each with its reason.
        n_tasks: All its tasks.
    """

    model_id: str
    status: str
    rule: str
    rationale: str
    is_met: bool
    worse_tasks: tuple[str, ...]
    n_tasks: int


def gate_cases(decisions: pl.DataFrame, *, min_status: str) -> tuple[GateCase, ...]:
    """Hold each model's decision against the worst that is allowed.

    Args:
        decisions: DECISIONS.
        min_status: The worst status that passes the gate.
    """
    worst_allowed = STATUSES.index(min_status)
    ranks = {status: rank for rank, status in enumerate(STATUSES)}
    ranked = decisions.with_columns(rank=pl.col("status").replace_strict(ranks, return_dtype=pl.Int64))
    tasks = ranked.drop_nulls("task_id")
    worse = (
        tasks.filter(pl.col("rank") < worst_allowed)
        .sort("model_id", "rank", "task_id")
        .select("model_id", told=pl.format("{}: {} ({})", "task_id", "status", "rationale"))
        .group_by("model_id", maintain_order=True)
        .agg("told")
    )
    of_models = (
        ranked.filter(pl.col("task_id").is_null())
        .join(worse, on="model_id", how="left")
        .join(tasks.group_by("model_id").agg(n_tasks=pl.len()), on="model_id", how="left")
        .sort("model_id")
    )
    return tuple(
        GateCase(
            row["model_id"],
            row["status"],
            row["rule"],
            row["rationale"],
            row["rank"] >= worst_allowed,
            tuple(row["told"] or ()),
            row["n_tasks"] or 0,
        )
        for row in of_models.rows(named=True)
    )


def render_junit(cases: Sequence[GateCase], *, min_status: str) -> str:
    """Return a JUnit document: one test case for each model, a failure where the gate is not met."""
    failed = sum(not case.is_met for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", {"name": "grade gate", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": f"decision is {min_status} or better", **counts})
    for case in cases:
        named = {"classname": "grade.gate", "name": _xml_text(case.model_id)}
        element = ET.SubElement(suite, "testcase", named)
        if not case.is_met:
            about = {"type": case.rule, "message": _xml_text(f"{case.status}: {case.rationale}")}
            failure = ET.SubElement(element, "failure", about)
            failure.text = _xml_text("\n".join(worse_lines(case)))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def render_annotations(cases: Iterable[GateCase], *, min_status: str) -> list[str]:
    """Return one line for each model: an error where the gate is not met, else a notice."""
    return [_annotation(case, min_status) for case in cases]


def worse_lines(case: GateCase) -> list[str]:
    """Return the tasks whose decisions are worse than the gate asks, the worst first."""
    hidden = len(case.worse_tasks) - _SHOWN_TASKS
    return [*case.worse_tasks[:_SHOWN_TASKS], *([f"and {hidden} more tasks"] if hidden > 0 else [])]


def _annotation(case: GateCase, min_status: str) -> str:
    level = "notice" if case.is_met else "error"
    title = f"grade gate: {case.model_id}"
    told = [f"{case.status} ({case.rule}), {min_status} or better is asked. {case.rationale}"]
    lines = told if case.is_met else [*told, *worse_lines(case)]
    return f"::{level} title={_escaped(title, is_property=True)}::{_escaped(chr(10).join(lines))}"


def _escaped(text: str, *, is_property: bool = False) -> str:
    """Escape what would end a line, or a property, of an annotation."""
    plain = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return plain.replace(":", "%3A").replace(",", "%2C") if is_property else plain


def _xml_text(text: str) -> str:
    return _FORBIDDEN_IN_XML.sub("\ufffd", text)
