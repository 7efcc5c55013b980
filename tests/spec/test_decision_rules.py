"""Which decision follows from which categories, as tables that a domain expert can read.

A category is written as its first letter: P(ass), p(artial), F(ail), - (nobody scored it); then the
severities of its findings (c, h, m), then its confidence. The six stand in the order of reports.
"""

from __future__ import annotations

import polars as pl
import pytest

from grade.db import Database
from grade.decide import decide
from grade.dimensions import DIMENSIONS, TITLES, WEIGHTS
from grade.policy import Policy
from grade.schemas import FINDING_COUNTS, JUDGED_CATEGORIES

DATABASE = Database(threads=1)

SCORES = {"P": "pass", "p": "partial", "F": "fail", "-": None}
SEVERITIES = {"c": "critical", "h": "high", "m": "medium"}

BY_DEFAULT = [
    ("P P P P P P", "pass", "all_pass"),
    ("P p P P P P", "conditional", "mixed"),
    ("p p p p p p", "conditional", "mixed"),
    ("P P P Fh P P", "fail", "blocking_fail"),
    ("P P P Fc P P", "fail", "blocking_fail"),
    ("P P P Fm P P", "human_review", "fail_without_blocking_finding"),
    ("P P P F P P", "human_review", "fail_without_blocking_finding"),
    ("Ph P P F P P", "human_review", "blocking_finding"),
    ("P P P Ph P P", "human_review", "blocking_finding"),
    ("P P P ph P P", "human_review", "blocking_finding"),
    ("P P P Pm P P", "pass", "all_pass"),
    ("P P P0.69 P P P", "human_review", "low_confidence"),
    ("P P P0.7 P P P", "pass", "all_pass"),
    ("P P P0.0 P P P", "human_review", "low_confidence"),
    ("P P P0.1 Fh P P", "fail", "blocking_fail"),
    ("P P - P P P", "human_review", "unscored"),
    ("P P - Fh P P", "fail", "blocking_fail"),
    ("P P - P P P0.2", "human_review", "unscored"),
    ("", "human_review", "unscored"),
]

BY_POLICY = [
    ({"max_critical": 0}, "P P P Pc P P", "fail", "max_critical"),
    ({"max_critical": 1}, "P P P Pc P P", "human_review", "blocking_finding"),
    ({"max_high": 1}, "Ph P P Ph P P", "fail", "max_high"),
    ({"max_medium": 0}, "P P P Pm P P", "fail", "max_medium"),
    ({"max_critical": 0, "max_medium": 0}, "Pm P P Pc P P", "fail", "max_critical"),
    ({"required": ("insight_quality",)}, "P p P P P P", "fail", "required_category"),
    ({"required": ("insight_quality",)}, "p P P P P P", "conditional", "mixed"),
    ({"required": ("insight_quality",)}, "P - P P P P", "human_review", "unscored"),
    ({"confidence_threshold": 0.9}, "P P P0.8 P P P", "human_review", "low_confidence"),
]


def lay_out(written: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    categories, findings = [], []
    for place, (key, word) in enumerate(zip(DIMENSIONS, written.split(), strict=False)):
        severities = [letter for letter in word[1:] if letter in SEVERITIES]
        confidence = word[1:].strip("chm")
        subject = {"model_id": "m", "task_id": None, "category_id": key}
        categories.append(
            subject
            | {"title": TITLES[key], "ordinal": place, "weight": float(WEIGHTS[key])}
            | {"score": SCORES[word[0]], "int_score": None, "is_required": False, "is_disputed": False}
            | {"confidence": float(confidence) if confidence else None}
        )
        findings += [subject | {"severity": SEVERITIES[each], "n_findings": 1} for each in severities]
    return (
        pl.DataFrame(categories, schema=JUDGED_CATEGORIES.dtypes),
        pl.DataFrame(findings, schema=FINDING_COUNTS.dtypes),
    )


def decided(written: str, **policy) -> dict:
    categories, findings = lay_out(written)
    chosen = Policy(**policy)
    categories = categories.with_columns(is_required=pl.col("category_id").is_in(list(chosen.required)))
    subject = pl.DataFrame({"model_id": ["m"], "task_id": [None]}, schema_overrides={"task_id": pl.String})
    return decide(
        subject, categories, findings, policy=chosen, confidence_threshold=0.7, database=DATABASE
    ).row(0, named=True)


@pytest.mark.parametrize(("written", "status", "rule"), BY_DEFAULT)
def test_the_first_rule_that_holds_decides(written, status, rule):
    row = decided(written)
    assert (row["status"], row["rule"]) == (status, rule)
    assert row["n_total"] == len(written.split())
    assert row["n_pass"] + row["n_partial"] + row["n_fail"] == row["n_total"] - written.count("-")
    assert row["rationale"].endswith(".")


@pytest.mark.parametrize(("policy", "written", "status", "rule"), BY_POLICY)
def test_a_policy_is_tried_before_the_rules(policy, written, status, rule):
    row = decided(written, **policy)
    assert (row["status"], row["rule"]) == (status, rule)


def test_every_broken_limit_is_named():
    rationale = decided("Pm P P Pc P P", max_critical=0, max_medium=0)["rationale"]
    assert "1 critical findings, at most 0 allowed" in rationale
    assert "1 medium findings, at most 0 allowed" in rationale


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"grounding_accuracy": 5, "insight_quality": 4}, 5),  # (175 + 80) / 55 = 4.6
        ({"evidence_linkage": 4, "calibration_limitation_handling": 3}, 4),  # 3.5 rounds up
        ({"evidence_linkage": 4, "insight_quality": 3}, 3),  # 3.43
        ({"structure_usability": 1}, 1),
        ({}, None),
    ],
)
def test_the_integer_score_is_the_weighted_mean_rounded_half_up(scores, expected):
    categories, findings = lay_out("P P P P P P")
    given = pl.col("category_id").replace_strict(scores, default=None, return_dtype=pl.Int64)
    subject = pl.DataFrame({"model_id": ["m"], "task_id": [None]}, schema_overrides={"task_id": pl.String})
    row = decide(
        subject,
        categories.with_columns(int_score=given),
        findings,
        policy=Policy(),
        confidence_threshold=0.7,
        database=DATABASE,
    ).row(0, named=True)
    assert row["int_score"] == expected
