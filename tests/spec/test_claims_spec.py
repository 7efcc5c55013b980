"""The chapter on insights, limitations and forbidden claims."""

from __future__ import annotations

from functools import cache

import pytest
from book import read_chapter
from cases import claim_case, together
from support.scoring import score_records

CASES = read_chapter("claims")


@cache
def checks() -> dict[str, dict]:
    tables = score_records(*together([claim_case(case) for case in CASES]))
    return {row["task_id"]: row for row in tables["claim_checks"].rows(named=True)}


def outcome(check: dict) -> str:
    made = "made" if check["made"] else "not made"
    return f"{made}: {check['status']} {check['reason'] or ''}".strip()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_claim_counts_as_made_as_written_here(case):
    check = checks()[case.task_id]
    assert outcome(check) == case.cells["outcome"]
    for column, name in (("found in", "field"), ("evidence", "evidence")):
        if column in case.cells:
            assert check[name] == case.text(column)
    is_good = check["made"] != (case.cells["kind"] == "forbidden")
    assert check["score"] == float(is_good)
