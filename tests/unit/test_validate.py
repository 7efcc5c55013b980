"""Which records are accepted under which key, and why the others are not."""

from __future__ import annotations

import random

import polars as pl
import pytest

from grade.ingest.reasons import REASONS
from grade.ingest.runs import empty_runs
from grade.ingest.verdicts import empty_verdicts
from grade.schemas import REJECTS, RUNS, VERDICTS, check
from grade.validate import validate_runs, validate_verdicts

TASKS = pl.DataFrame(
    {"task_id": ["T-1", "T-2"], "pack_id": ["pack_a", "pack_b"], "track": [1, 3]},
    schema_overrides={"track": pl.Int64},
)
CLAIMS = pl.DataFrame({"task_id": ["T-1", "T-1"], "claim_id": ["insight:0", "fact:F1"]})


def frame(empty, rows):
    schema = empty.schema
    defaults = {"file": "f", "byte_offset": 0, "raw": b"{}", "content_hash": "h"}
    lists = ("key_findings", "limitations", "evidence_citations", "input_flags", "findings")
    defaults |= {name: [] for name in lists}
    blank = dict.fromkeys(schema) | {name: value for name, value in defaults.items() if name in schema}
    return pl.DataFrame([blank | {"line": n} | row for n, row in enumerate(rows, 1)], schema=schema)


def run(**changes):
    return {"model_id": "m", "task_id": "T-1", "run_index": 0, "structured_metrics": "{}"} | changes


def runs_of(*rows):
    return validate_runs(frame(empty_runs(), rows), tasks=TASKS)


def verdicts_of(*rows):
    known = frame(empty_runs(), [run()])
    return validate_verdicts(frame(empty_verdicts(), rows), runs=known, claims=CLAIMS)


def verdict(**changes):
    base = {"model_id": "m", "task_id": "T-1", "run_index": 0, "judge_id": "j", "dimension": "consistency"}
    return base | {"score": "pass"} | changes


def told(valid):
    return valid.rejects.select("line", "reason").rows()


def test_runs_get_pack_and_track_and_are_sorted():
    valid = runs_of(run(model_id="z"), run(run_index=2), run(run_index=1, task_id="T-2"))
    check(valid.accepted, RUNS)
    assert valid.accepted.select("model_id", "task_id", "run_index", "pack_id", "track").rows() == [
        ("m", "T-1", 2, "pack_a", 1),
        ("m", "T-2", 1, "pack_b", 3),
        ("z", "T-1", 0, "pack_a", 1),
    ]


def test_no_runs_are_no_runs():
    valid = runs_of()
    assert (valid.accepted.height, valid.rejects.height, valid.n_duplicates) == (0, 0, 0)
    check(valid.accepted, RUNS)
    check(valid.rejects, REJECTS)


def test_a_run_of_an_unknown_task_is_refused_with_its_place():
    valid = runs_of(run(), run(task_id="T-9", raw="café".encode()))
    assert valid.accepted.height == 1
    [reject] = valid.rejects.to_dicts()
    assert reject == {
        "file": "f",
        "line": 2,
        "byte_offset": 0,
        "reason": "unknown_task",
        "detail": "no task of the catalogue has the id 'T-9'",
        "raw": "café",
    }


@pytest.mark.parametrize("other", ["t-1", "T-1 ", "T\u20111"])
def test_ids_are_compared_as_they_are(other):
    assert told(runs_of(run(task_id=other))) == [(1, "unknown_task")]
    assert runs_of(run(model_id="m"), run(model_id=other)).accepted.height == 2


def test_equal_copies_are_one_run_and_counted():
    valid = runs_of(run(), run(run_index=1), run(), run())
    assert (valid.accepted.height, valid.rejects.height, valid.n_duplicates) == (2, 0, 2)


def test_copies_that_differ_are_all_refused():
    valid = runs_of(run(), run(content_hash="other"), run(), run(run_index=1))
    assert valid.accepted["run_index"].to_list() == [1]
    assert told(valid) == [(1, "duplicate_conflict"), (2, "duplicate_conflict"), (3, "duplicate_conflict")]
    assert valid.n_duplicates == 0


def test_gaps_in_the_run_index_are_no_fault():
    assert runs_of(run(run_index=7), run(run_index=3)).accepted["run_index"].to_list() == [3, 7]


def test_which_copy_stays_does_not_depend_on_the_order():
    rows = [run(input_flags=["null_entry_dropped"]), run(input_flags=[]), run(model_id="z")]
    expected = runs_of(*rows).accepted
    for seed in range(6):
        shuffled = random.Random(seed).sample(rows, len(rows))
        assert runs_of(*shuffled).accepted.equals(expected)


@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ({"score": "pass"}, 1.0),
        ({"score": "partial"}, 0.5),
        ({"score": "fail"}, 0.0),
        ({"score": None, "int_score": 1}, 0.0),
        ({"score": None, "int_score": 2}, 0.25),
        ({"score": None, "int_score": 3}, 0.5),
        ({"score": None, "int_score": 4}, 0.8),
        ({"score": None, "int_score": 5}, 1.0),
        ({"score": None, "numeric_score": 0.61}, 0.61),
        ({"score": "pass", "int_score": 4}, 0.8),
        ({"score": "pass", "int_score": 5, "numeric_score": 0.8}, 0.8),
        ({"score": "partial", "numeric_score": 0.79}, 0.79),
        ({"score": "fail", "int_score": 2, "numeric_score": 0.49}, 0.49),
    ],
)
def test_the_most_exact_form_of_a_score_counts(changes, unit):
    valid = verdicts_of(verdict(**changes))
    check(valid.accepted, VERDICTS)
    assert valid.accepted["unit_score"].to_list() == [unit]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dimension": None}, "dimension_or_claim"),
        ({"claim_id": "insight:0"}, "dimension_or_claim"),
        ({"dimension": "style"}, "unknown_dimension"),
        ({"dimension": None, "claim_id": "insight:1"}, "unknown_claim"),
        ({"dimension": None, "claim_id": "fact:F2"}, "unknown_claim"),
        ({"dimension": None, "claim_id": "insight:0", "task_id": "T-2"}, "unknown_run"),
        ({"run_index": 1}, "unknown_run"),
        ({"model_id": "M"}, "unknown_run"),
        ({"score": None}, "no_score"),
        ({"score": None, "confidence": 0.9}, "no_score"),
        ({"score": "pass", "int_score": 3}, "contradictory_verdict"),
        ({"score": "partial", "int_score": 4}, "contradictory_verdict"),
        ({"score": "pass", "numeric_score": 0.79}, "contradictory_verdict"),
        ({"score": None, "int_score": 2, "numeric_score": 0.5}, "contradictory_verdict"),
        ({"score": "pass", "int_score": 5, "numeric_score": 0.1}, "contradictory_verdict"),
    ],
)
def test_a_verdict_that_cannot_count_is_refused(changes, reason):
    valid = verdicts_of(verdict(**changes), verdict(judge_id="other"))
    assert told(valid) == [(1, reason)]
    assert valid.accepted["judge_id"].to_list() == ["other"]


@pytest.mark.parametrize("claim_id", ["insight:0", "fact:F1"])
def test_claims_and_facts_may_be_judged(claim_id):
    assert verdicts_of(verdict(dimension=None, claim_id=claim_id)).accepted.height == 1


def test_one_judge_judges_one_thing_once():
    valid = verdicts_of(
        verdict(),
        verdict(),
        verdict(judge_id="other"),
        verdict(dimension="insight_quality"),
        verdict(dimension=None, claim_id="insight:0"),
        verdict(dimension=None, claim_id="insight:0", score="fail", content_hash="x"),
    )
    assert valid.accepted.height == 3
    assert valid.n_duplicates == 1
    assert told(valid) == [(5, "duplicate_conflict"), (6, "duplicate_conflict")]


def test_no_verdicts_are_no_verdicts():
    valid = verdicts_of()
    check(valid.accepted, VERDICTS)
    assert valid.rejects.is_empty()


def test_a_join_multiplies_no_verdict():
    claims = pl.concat([CLAIMS, CLAIMS])
    known = frame(empty_runs(), [run()])
    rows = frame(empty_verdicts(), [verdict(), verdict(dimension=None, claim_id="fact:F1")])
    assert validate_verdicts(rows, runs=known, claims=claims).accepted.height == 2


def test_every_code_is_explained():
    used = {"unknown_task", "duplicate_conflict", "unknown_run", "dimension_or_claim", "unknown_dimension"}
    used |= {"unknown_claim", "no_score", "contradictory_verdict"}
    assert used <= REASONS.keys()
