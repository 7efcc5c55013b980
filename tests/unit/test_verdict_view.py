from __future__ import annotations

import pytest

from grade.errors import InputError
from grade.policy import Policy
from grade.rubric_sets import parse_rubric_set
from grade.verdict_view import CategoryCounts, CategoryResult, Finding, IntegerScore, Report, ScoreValue

TOML = """
name = "memo"
required = ["facts"]

[[categories]]
id = "facts"
title = "Facts"
weight = 3

[[categories]]
id = "style"
"""


def test_score_values_know_what_they_are_and_their_icon():
    table = [
        (value, value.is_passing(), value.is_partial(), value.is_failing(), value.icon())
        for value in ScoreValue
    ]
    assert table == [
        ("pass", True, False, False, "\U0001f7e2"),
        ("partial", False, True, False, "\U0001f7e1"),
        ("fail", False, False, True, "\U0001f534"),
    ]


def test_integer_scores_have_names_and_categories():
    told = {
        int(score): (str(score), score.to_categorical().value, score.is_valid()) for score in IntegerScore
    }
    assert told == {
        1: ("Unacceptable", "fail", True),
        2: ("Major Revisions", "fail", True),
        3: ("Acceptable", "partial", True),
        4: ("Good", "pass", True),
        5: ("Excellent", "pass", True),
    }
    assert IntegerScore.parse(4) is IntegerScore.GOOD


@pytest.mark.parametrize("value", [2.5, 4.0, 0, 6, -1, True, "good", "4", "4 - good", None, float("nan")])
def test_what_is_no_integer_score_is_refused(value):
    with pytest.raises(InputError, match="not an integer score"):
        IntegerScore.parse(value)


@pytest.mark.parametrize("value", [1.01, -0.1, float("nan"), 87, True, "0.5", None])
def test_what_is_no_confidence_is_refused(value):
    with pytest.raises(InputError, match="not a confidence"):
        CategoryResult("quality").set_confidence(value)


def test_a_result_follows_its_integer_score():
    result = CategoryResult.with_int_score("quality", IntegerScore.GOOD, 0.85, "Fine.")
    assert (result.score, result.int_score, result.confidence) == (ScoreValue.PASS, 4, 0.85)
    result.set_int_score(2)
    assert result.score is ScoreValue.FAIL
    assert not result.has_low_confidence()
    assert result.has_low_confidence(0.9)
    assert CategoryResult("quality", confidence=0.0).has_low_confidence()
    assert not CategoryResult("quality", confidence=0.7).has_low_confidence(threshold=0.7)
    assert not CategoryResult("quality").has_low_confidence()


def test_a_report_is_evaluated_by_the_rules_of_the_tables():
    report = Report("eval", "doc.md")
    report.add_category_result(
        CategoryResult("facts", ScoreValue.PASS, "Right.", IntegerScore.EXCELLENT, 0.95)
    )
    report.add_category_result(CategoryResult("style", "partial", "Long.", IntegerScore.ACCEPTABLE, 0.8))
    rubric = parse_rubric_set(TOML)
    decision = report.evaluate(rubric)
    assert (decision.status, decision.rule) == ("conditional", "mixed")
    assert decision.category_counts == CategoryCounts(pass_=1, partial=1, fail=0, total=2)
    assert (report.int_score, report.confidence) == (IntegerScore.EXCELLENT, 0.8)  # (3 x 5 + 1 x 3) / 4 = 4.5
    assert not report.needs_human_review()
    report.add_finding(Finding("facts", "high", "A source is invented"))
    assert report.evaluate(rubric).rule == "blocking_finding"
    assert report.needs_human_review()


def test_a_blocking_fail_fails_and_an_unsure_category_still_wants_a_person():
    report = Report("eval", "doc.md")
    report.add_category_result(CategoryResult("facts", ScoreValue.FAIL, confidence=0.3))
    report.add_finding(Finding("facts", "critical", "The numbers are made up"))
    assert report.needs_human_review()
    assert report.evaluate().status == "fail"
    assert report.needs_human_review()


def test_a_required_category_without_a_result_is_not_scored():
    report = Report("eval", "doc.md")
    report.add_category_result(CategoryResult("style", ScoreValue.PASS))
    assert report.evaluate(parse_rubric_set(TOML)).rule == "unscored"
    assert report.evaluate(policy=Policy(required=("style",))).rule == "all_pass"


def test_a_finding_on_something_that_was_not_judged_still_blocks():
    report = Report("eval", "doc.md")
    report.add_category_result(CategoryResult("style", ScoreValue.PASS))
    report.add_finding(Finding("elsewhere", "high", "A secret is told"))
    assert report.evaluate().rule == "blocking_finding"
    assert "elsewhere" in report.decision.rationale


def test_a_category_has_one_result_and_findings_a_known_severity():
    report = Report("eval", "doc.md")
    report.add_category_result(CategoryResult("style", ScoreValue.PASS))
    with pytest.raises(InputError, match="has a result already"):
        report.add_category_result(CategoryResult("style", ScoreValue.FAIL))
    with pytest.raises(InputError, match="unknown severity"):
        Finding("style", "grave", "")
    report.set_int_score(4)
    report.set_confidence(0.9)
    assert (report.int_score, report.confidence) == (IntegerScore.GOOD, 0.9)


def test_a_rubric_set_is_read_from_json_too():
    rubric = parse_rubric_set('{"name": "memo", "categories": [{"id": "facts", "weight": 2}]}')
    assert [(category.id, category.weight) for category in rubric.categories] == [("facts", 2.0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "not valid TOML"),
        ("{", "not valid JSON"),
        ('name = "x"', "categories does not fit"),
        ('{"categories": [{"id": "a", "weight": -1}]}', "weight of a does not fit"),
        ('{"categories": [{"id": "a", "weight": true}]}', "weight of a does not fit"),
        ('{"categories": [{"id": "a"}, {"id": "a"}]}', "categories does not fit"),
        ('{"categories": [{"id": "a"}], "required": ["b"]}', "required does not fit"),
        ('{"categories": [{"id": "a"}], "requird": []}', "did you mean required"),
        ('{"categories": [{"id": "a"}], "confidence_threshold": 2}', "confidence_threshold does not fit"),
    ],
)
def test_a_wrong_rubric_set_is_told(text, words):
    with pytest.raises(InputError, match=words):
        parse_rubric_set(text)
