"""The chapter on the scores of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from book import Case, read_chapter
from cases import LISTS, answer, verdicts
from support.scoring import run, score_records, task

CASES = read_chapter("scores")
SCORES = {
    "insight quality": "insight_quality",
    "calibration": "calibration_limitation_handling",
    "grounding": "grounding_accuracy",
    "evidence": "evidence_linkage",
}
FLAGS = {
    "insight flags": "insight_quality",
    "calibration flags": "calibration_limitation_handling",
    "grounding flags": "grounding_accuracy",
    "evidence flags": "evidence_linkage",
}
JUDGED = {"evidence_linkage", "structure_usability"}
Parts = tuple[dict, list[dict], list[dict]]


def asked(case: Case) -> Parts:
    columns = {"insight": "insights", "limitation": "limitations asked for", "forbidden": "forbidden"}
    lists = {LISTS[kind]: case.texts(column) for kind, column in columns.items()}
    lists["gold_insights"] = [
        {"text": text.removeprefix("*"), "calibration": text.startswith("*")}
        for text in lists["gold_insights"]
    ]
    track = int(case.text("track") or 1)
    return task(case.task_id, track=track, **lists), [answer(case)], []


def grounded(case: Case) -> Parts:
    facts = [
        {"fact_id": f"F{number}", "claim": f"Desk {number}.", "numeric_value": number}
        for number in range(int(case.cells["facts asked for"]))
    ]
    stated = {f"F{number}": number for number in range(int(case.cells["facts stated"]))}
    said = run(case.task_id, structured_metrics=stated, key_findings=["Hello there."])
    return task(case.task_id, gold_facts=facts), [said], []


def judged(case: Case) -> Parts:
    said = run(case.task_id, key_findings=["Hello there."])
    return task(case.task_id), [said], verdicts(case.texts("verdicts"), said, dimension="evidence_linkage")


def gated(case: Case) -> Parts:
    said = answer(case)
    given = verdicts(case.texts("verdict"), said, dimension="evidence_linkage")
    return task(case.task_id, track=int(case.cells["track"])), [said], given


def silent(case: Case) -> Parts:
    first, second = run(case.task_id, 0, key_findings=["A word."]), answer(case, 1)
    given = [
        found
        for said, column in ((first, "verdict on the first"), (second, "verdict on the second"))
        for found in verdicts(case.texts(column), said, dimension="evidence_linkage")
    ]
    lists = {name: ["Free meals raised the grades."] for name in LISTS.values()}
    facts = [{"fact_id": "F1", "claim": "The center lends 312 laptops.", "numeric_value": 312}]
    return task(case.task_id, gold_facts=facts, **lists), [first, second], given


RULES: dict[str, Callable[[Case], Parts]] = {
    "Insight quality and calibration": asked,
    "Flags": asked,
    "Grounding": grounded,
    "Judged dimensions": judged,
    "The gate of track 3": gated,
    "Empty answers": silent,
}


def inputs() -> tuple[list, list, list]:
    parts = [RULES[case.rule](case) for case in CASES]
    return (
        [one for one, _, _ in parts],
        [said for _, runs, _ in parts for said in runs],
        [found for _, _, given in parts for found in given],
    )


@cache
def scores() -> tuple[dict, dict]:
    """Per task: the last run's row of each dimension, and the task's own row."""
    tables = score_records(*inputs())
    rows = {(row["task_id"], row["dimension"]): row for row in tables["run_scores"].rows(named=True)}
    return rows, {row["task_id"]: row for row in tables["task_scores"].rows(named=True)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_run_is_scored_as_written_here(case):
    rows, tasks = scores()
    for column, dimension in SCORES.items():
        if column in case.cells:
            assert rows[case.task_id, dimension]["score"] == case.number_of(column), column
    for column, flag in (("gated", "evidence_gate"), ("empty", "empty_response")):
        if column in case.cells:
            assert (flag in rows[case.task_id, "evidence_linkage"]["flags"]) is case.says(column)
    for column, dimension in FLAGS.items():
        if column in case.cells:
            assert rows[case.task_id, dimension]["flags"] == case.texts(column), column
    if "settled" in case.cells:
        assert tasks[case.task_id]["claims_judged"] == case.number_of("settled")


def test_a_score_says_whether_judges_or_a_rule_gave_it():
    rows, _ = scores()
    for (_, dimension), row in rows.items():
        assert row["source"] == ("judge" if dimension in JUDGED else "rule")
