"""What holds for every decision, whatever the categories."""

from __future__ import annotations

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from support.fuzzing import examples

from grade.columns import SEVERITIES, STATUSES
from grade.db import Database
from grade.decide import decide
from grade.dimensions import DIMENSIONS, TITLES, WEIGHTS
from grade.policy import Policy
from grade.schemas import FINDING_COUNTS, JUDGED_CATEGORIES

DATABASE = Database(threads=1)
FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])

categories = st.tuples(
    st.sampled_from(["pass", "partial", "fail", None]),
    st.none() | st.integers(1, 5),
    st.none() | st.floats(0, 1, allow_nan=False),
    st.lists(st.sampled_from(SEVERITIES), max_size=2),
)
documents = st.lists(categories, max_size=6)


def decided(drawn: list[list[tuple]], order: int = 1) -> pl.DataFrame:
    results, findings = [], []
    for number, document in enumerate(drawn):
        for key, (score, integer, confidence, severities) in zip(DIMENSIONS, document, strict=False):
            subject = {"model_id": f"m{number:02}", "task_id": None, "category_id": key}
            results.append(
                subject
                | {"title": TITLES[key], "ordinal": DIMENSIONS.index(key), "weight": float(WEIGHTS[key])}
                | {"score": score, "int_score": integer, "confidence": confidence}
                | {"is_required": False, "is_disputed": False}
            )
            findings += [subject | {"severity": each, "n_findings": 1} for each in set(severities)]
    subjects = pl.DataFrame(
        {"model_id": [f"m{number:02}" for number in range(len(drawn))], "task_id": None},
        schema={"model_id": pl.String, "task_id": pl.String},
    )
    return decide(
        subjects[::order],
        pl.DataFrame(results[::order], schema=JUDGED_CATEGORIES.dtypes),
        pl.DataFrame(findings[::order], schema=FINDING_COUNTS.dtypes),
        policy=Policy(),
        confidence_threshold=0.7,
        database=DATABASE,
    )


@FEW
@given(st.lists(documents, min_size=1, max_size=4))
def test_counts_add_up(drawn):
    table = decided(drawn)
    for document, row in zip(drawn, table.rows(named=True), strict=True):
        scores = [score for score, *_ in document]
        assert row["n_total"] == len(scores)
        assert [row["n_pass"], row["n_partial"], row["n_fail"]] == [
            scores.count(name) for name in ("pass", "partial", "fail")
        ]
        confidences = [value for _, _, value, _ in document if value is not None]
        assert row["confidence"] == min(confidences, default=None)
        integers = [value for _, value, _, _ in document if value is not None]
        assert (row["int_score"] is None) == (not integers)
        assert not integers or min(integers) <= row["int_score"] <= max(integers)


@FEW
@given(st.lists(documents, min_size=1, max_size=4))
def test_the_order_of_rows_does_not_matter(drawn):
    assert_frame_equal(decided(drawn), decided(drawn, order=-1), check_exact=True)


@FEW
@given(documents.filter(bool), st.data())
def test_a_better_score_never_gives_a_worse_decision(document, data):
    place = data.draw(st.integers(0, len(document) - 1))
    score, *rest = document[place]
    better = {"fail": ["partial", "pass"], "partial": ["pass"]}.get(score, [score])
    improved = [*document]
    improved[place] = (data.draw(st.sampled_from(better)), *rest)
    before, after = decided([document, improved])["status"]
    assert STATUSES.index(after) >= STATUSES.index(before)
