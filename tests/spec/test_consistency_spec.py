"""The chapter on the consistency of several runs."""

from __future__ import annotations

import json
from functools import cache

import pytest
from book import Case, read_chapter
from support.scoring import run, score_records, task

CASES = read_chapter("consistency")
COLUMNS = {
    "findings": "finding_stability",
    "ranking": "ranking_stability",
    "metrics": "metric_variance",
    "consistency": "consistency",
}


def said(case: Case, number: int) -> list[dict]:
    """The run of a column, if there is one."""
    cell = case.text(f"run {number}")
    if cell is None:
        return []
    text, brace, metrics = cell.partition("{")
    findings = [] if cell == "(empty)" else [part.strip() for part in text.split("//") if part.strip()]
    return [
        run(
            case.task_id,
            number,
            key_findings=findings,
            structured_metrics=json.loads(brace + metrics or "{}"),
        )
    ]


def inputs() -> tuple[list, list]:
    return [task(case.task_id) for case in CASES], [
        one for case in CASES for number in (1, 2, 3) for one in said(case, number)
    ]


@cache
def groups() -> dict[str, dict]:
    table = score_records(*inputs())["consistency"]
    return {row["task_id"]: row for row in table.rows(named=True)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_runs_are_as_consistent_as_written_here(case):
    group = groups()[case.task_id]
    for column, name in COLUMNS.items():
        expected = case.number_of(column)
        assert group[name] == (None if expected is None else pytest.approx(expected, abs=1e-12)), column
