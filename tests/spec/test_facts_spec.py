"""The chapter on gold facts."""

from __future__ import annotations

from functools import cache

import pytest
from book import read_chapter
from cases import fact_case, together
from support.scoring import score_records

CASES = read_chapter("facts")


@cache
def checks() -> dict[str, dict]:
    tables = score_records(*together([fact_case(case) for case in CASES]))
    return {row["task_id"]: row for row in tables["fact_checks"].rows(named=True)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fact_is_credited_as_written_here(case):
    check = checks()[case.task_id]
    assert (check["score"], check["matched"]) == (float(case.says("credited")), case.says("credited"))
    for column, field in (("found in", "source"), ("method", "method"), ("evidence", "evidence")):
        if column in case.cells:
            assert check[field] == case.text(column)
