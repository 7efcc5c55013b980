"""The gold is answerable, and each task's gold is its own."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import pytest

SCORED = ("grounding_accuracy", "insight_quality", "calibration_limitation_handling")


def text(insight):
    return insight if isinstance(insight, str) else insight["text"]


@pytest.fixture(scope="module")
def perfect(tasks):
    return {
        task["task_id"]: (
            [fact["claim"] for fact in task["gold_facts"]] + [text(each) for each in task["gold_insights"]],
            task["required_limitations"],
        )
        for task in tasks
    }


@pytest.fixture(scope="module")
def perfect_scores(score, tasks, perfect, answer):
    return score(tasks, [answer(task_id, *said) for task_id, said in perfect.items()], [])


def test_an_answer_that_copies_the_gold_scores_one(perfect_scores, tasks):
    scores = {
        (row["task_id"], row["dimension"]): row["score"]
        for row in perfect_scores["run_scores"]
        if row["dimension"] in SCORED
    }
    assert len(scores) == 3 * len(tasks)
    assert {key: value for key, value in scores.items() if value != 1} == {}


def test_a_perfect_answer_leaves_no_forbidden_claim_in_doubt(perfect_scores):
    doubtful = [row for row in perfect_scores["claim_checks"] if row["status"] == "inconclusive"]
    assert doubtful == []


def test_an_answer_that_makes_every_forbidden_claim_scores_zero_on_them(score, tasks, answer):
    tables = score(tasks, [answer(task["task_id"], task["forbidden_claims"], []) for task in tasks], [])
    spared = [row for row in tables["claim_checks"] if row["kind"] == "forbidden" and row["score"] != 0]
    assert spared == []


@pytest.mark.slow
def test_perfect_answers_to_other_tasks_say_little_about_a_task(score, tasks, perfect, answer):
    runs = [
        answer(task["task_id"], *said, model=other)
        for task in tasks
        for other, said in perfect.items()
        if other != task["task_id"]
    ]
    found = defaultdict(list)
    for row in score(tasks, runs, [])["run_scores"]:
        if row["dimension"] == "grounding_accuracy":
            found[row["task_id"]].append(row["score"])
    assert {len(scores) for scores in found.values()} == {len(tasks) - 1}
    assert {task: mean for task, scores in found.items() if (mean := fmean(scores)) > 0.2} == {}


def test_an_insight_does_not_give_away_a_fact_of_its_task(score, tasks, answer):
    """Else a wrong number beside a right insight would count as right."""
    runs = [answer(task["task_id"], [text(each) for each in task["gold_insights"]], []) for task in tasks]
    numeric = {
        (task["task_id"], fact["fact_id"])
        for task in tasks
        for fact in task["gold_facts"]
        if fact["numeric_value"] is not None
    }
    rows = score(tasks, runs, [])["fact_checks"]
    assert {
        key for row in rows if row["matched"] and (key := (row["task_id"], row["fact_id"])) in numeric
    } == set()
