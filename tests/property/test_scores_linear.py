"""Ten megabytes of one thing repeated are scored in seconds: nothing grows with the square of a text."""

from __future__ import annotations

import time

import pytest
from support.scoring import run, score_records, task

MEGABYTES = 10
SECONDS = 90
"""Of processor time; a tenth of it is usual. What grows with the square takes hours or runs out of memory."""

ATOMS = [
    "a",
    "a ",
    "1,",
    "- ",
    "not ",
    ".",
    "|",
    "#",
    "a.\n",
    "CMP-201 312 laptops ",
    "not 312 laptops, ",
    "night calls not ",
    "free meals raised not the grades ",
]

TASK = task(
    track=3,
    gold_facts=[
        {"fact_id": "F1", "claim": "Campus CMP-201 lends 312 laptops.", "numeric_value": 312},
        {"fact_id": "F2", "claim": "The weak spot is night calls.", "string_value": "night calls"},
        {"fact_id": "F3", "claim": "CMP-201 lends 312 laptops and CMP-202 lends 1."},
        {"fact_id": "F4", "claim": "Night calls go unanswered."},
    ],
    gold_insights=["A free meal is not a grade."],
    required_limitations=["One of 312 laptops is not on loan."],
    forbidden_claims=["Free meals raised the grades."],
)


@pytest.mark.slow
@pytest.mark.parametrize("atom", ATOMS, ids=repr)
def test_a_long_text_is_scored_in_seconds(atom):
    text = atom * (MEGABYTES * 2**20 // len(atom))
    started = time.process_time()
    tables = score_records([TASK], [run(key_findings=[text]), run(run_index=1, key_findings=["Hello."])])
    assert time.process_time() - started < SECONDS
    assert tables["fact_checks"].height == 8
    assert tables["claim_checks"].height == 6
