from __future__ import annotations

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from grade.agreement import measure_agreement
from grade.categories import categorise, weigh_categories
from grade.dimensions import DIMENSIONS, JUDGED
from grade.judges import combine_judges, count_unreadable, find_disagreements, summarise_judges
from grade.schemas import REJECTS, RUN_KEY, TASK_SCORES, VERDICTS

UNITS = {"P": 1.0, "p": 0.5, "F": 0.0}
KEY = {"model_id": "m", "task_id": "T", "run_index": 0}


def verdicts(*rows: dict) -> pl.DataFrame:
    blank = dict.fromkeys(VERDICTS.columns) | KEY | {"dimension": "evidence_linkage", "judge_id": "j1"}
    return pl.DataFrame([blank | {"unit_score": 1.0} | row for row in rows], schema=VERDICTS.dtypes)


def judged(letters: str) -> pl.DataFrame:
    return verdicts(*({"judge_id": f"j{n}", "unit_score": UNITS[letter]} for n, letter in enumerate(letters)))


def unreadable(n: int = 0) -> pl.DataFrame:
    schema = {
        "model_id": pl.String,
        "task_id": pl.String,
        "run_index": pl.Int64,
        "dimension": pl.String,
        "n_unreadable": pl.Int64,
    }
    row = KEY | {"dimension": "evidence_linkage", "n_unreadable": n}
    return pl.DataFrame([row] if n else [], schema=schema)


COMBINED = [
    # judges, unreadable ones, then what each policy makes of them
    ("PPF", 0, {"mean": 2 / 3, "majority": 1.0, "conservative": 0.0, "optimistic": 1.0, "unanimous": None}),
    ("PPP", 0, {"mean": 1.0, "majority": 1.0, "conservative": 1.0, "optimistic": 1.0, "unanimous": 1.0}),
    ("PF", 0, {"mean": 0.5, "majority": 0.5, "conservative": 0.0, "optimistic": 1.0, "unanimous": None}),
    ("PpF", 0, {"mean": 0.5, "majority": 0.5, "conservative": 0.0, "optimistic": 1.0, "unanimous": None}),
    ("PP", 1, {"mean": 1.0, "majority": 1.0, "conservative": 1.0, "optimistic": 1.0, "unanimous": None}),
    ("PP", 2, {"mean": 1.0, "majority": 0.5, "conservative": 1.0, "optimistic": 1.0, "unanimous": None}),
    ("F", 1, {"mean": 0.0, "majority": 0.5, "conservative": 0.0, "optimistic": 0.0, "unanimous": None}),
]


@pytest.mark.parametrize(("letters", "n_refused", "expected"), COMBINED)
def test_several_judges_become_one_score(letters, n_refused, expected):
    found = {
        name: combine_judges(judged(letters), unreadable(n_refused), judges=name).row(0, named=True)
        for name in expected
    }
    assert {name: row["unit_score"] for name, row in found.items()} == pytest.approx(expected)
    assert {name for name, row in found.items() if row["is_disputed"]} == {
        name for name, value in expected.items() if value is None
    }


def test_where_a_person_judged_only_the_person_counts():
    rows = verdicts({"unit_score": 0.0, "confidence": 0.2}, {"judge_id": "human:ana", "unit_score": 1.0})
    combined = combine_judges(rows, unreadable(3), judges="unanimous").row(0, named=True)
    assert (combined["unit_score"], combined["is_human"], combined["is_disputed"]) == (1.0, True, False)
    summary = summarise_judges(rows, unreadable(3)).row(0, named=True)
    assert (summary["n_judges"], summary["confidence"], summary["n_unreadable"]) == (1, None, 3)


REFUSED = [
    json.dumps(KEY | {"dimension": "evidence_linkage", "judge_id": "j1", "score": "4 - good"}),
    json.dumps(KEY | {"dimension": "evidence_linkage", "judge_id": "j1", "int_score": 4.5}),  # j1 again
    json.dumps(KEY | {"dimension": "evidence_linkage", "judge_id": "j2", "numeric_score": float("nan")}),
    "m,T,0,evidence_linkage,,j3,,87,",
    json.dumps(KEY | {"run_index": 9, "dimension": "evidence_linkage", "judge_id": "j4"}),  # no such run
    json.dumps(KEY | {"dimension": "style", "judge_id": "j5"}),  # no such dimension
    json.dumps(KEY | {"claim_id": "insight:0", "judge_id": "j6"}),
    json.dumps(KEY | {"key_findings": []}),  # a run
    "not a verdict at all",
    None,
]


def test_refused_verdicts_keep_their_judges_among_those_asked():
    rows = [
        {"file": "v", "line": n, "byte_offset": 0, "reason": "wrong_type", "detail": "", "raw": raw}
        for n, raw in enumerate(REFUSED, start=1)
    ]
    runs = pl.DataFrame([KEY], schema={name: VERDICTS.dtypes[name] for name in RUN_KEY})
    counted = count_unreadable(pl.DataFrame(rows, schema=REJECTS.dtypes), runs)
    assert counted.rows(named=True) == [KEY | {"dimension": "evidence_linkage", "n_unreadable": 3}]


def test_disagreements_are_listed_with_every_opinion():
    rows = pl.concat(
        [
            judged("PpF"),
            verdicts(
                {"dimension": "structure_usability"}, {"dimension": "structure_usability", "judge_id": "j2"}
            ),
            verdicts({"dimension": None, "claim_id": "insight:0"}),
        ]
    )
    [row] = find_disagreements(rows).rows(named=True)
    assert (row["dimension"], row["n_pass"], row["n_partial"], row["n_fail"]) == ("evidence_linkage", 1, 1, 1)
    assert row["opinions"] == ["j0: pass", "j1: partial", "j2: fail"]


def test_figures_that_are_not_defined_are_null_with_the_reason():
    table = measure_agreement(
        pl.concat([judged("PP"), judged("PP").with_columns(run_index=pl.lit(1, pl.Int64))])
    )
    own = table.filter((pl.col("target") == "evidence_linkage") & (pl.col("judge_a") == "j0"))
    rows = {row["statistic"]: row for row in own.rows(named=True)}
    assert (rows["exact"]["value"], rows["exact"]["n_items"]) == (1.0, 2)
    assert (rows["kappa"]["value"], rows["kappa"]["reason"]) == (None, "one_category")
    assert (rows["alpha_nominal"]["value"], rows["alpha_nominal"]["ci_low"]) == (None, None)
    assert (rows["adjacent"]["value"], rows["adjacent"]["reason"]) == (None, "three_steps_only")


def test_agreement_does_not_depend_on_the_order_of_rows():
    rows = pl.concat([judged("PpF").with_columns(run_index=pl.lit(n, pl.Int64)) for n in range(4)])
    rows = rows.with_columns(
        unit_score=pl.Series([1, 0.5, 0, 1, 1, 0.5, 0, 0.5, 0, 1, 0, 0.5], dtype=pl.Float64)
    )
    assert_frame_equal(measure_agreement(rows), measure_agreement(rows.reverse()), check_exact=True)


def test_no_verdicts_give_empty_tables():
    assert measure_agreement(VERDICTS.empty()).is_empty()
    assert find_disagreements(VERDICTS.empty()).is_empty()


def scored(**scores: float | None) -> pl.DataFrame:
    row = dict.fromkeys(TASK_SCORES.columns) | {"model_id": "m", "task_id": "T", "n_runs": 2, "flags": []}
    counts = {f"n_scored_{key}": 0 if scores.get(key) is None else 2 for key in DIMENSIONS}
    return pl.DataFrame([row | counts | scores], schema=TASK_SCORES.dtypes)


def judged_runs(*rows: tuple[int, float | None, list[str]]) -> pl.DataFrame:
    records = [
        KEY | {"run_index": index, "dimension": "evidence_linkage", "score": score, "flags": flags}
        for index, score, flags in rows
    ]
    schema = {name: VERDICTS.dtypes[name] for name in (*RUN_KEY, "dimension")}
    return pl.DataFrame(records, schema=schema | {"score": pl.Float64, "flags": pl.List(pl.String)})


def categories_of(task_scores, runs, rows, *, judges="mean") -> dict[str, dict]:
    combined = combine_judges(rows, unreadable(), judges=judges)
    summary = summarise_judges(rows, unreadable())
    table = categorise(task_scores, runs, combined, summary, is_mean=judges == "mean")
    assert table.height == len(DIMENSIONS)
    return {row["dimension"]: row for row in table.rows(named=True)}


def test_scores_become_categories_in_the_bands_of_the_method():
    units = dict(zip(DIMENSIONS, (0.9, 0.8, None, 0.79, 0.5, 0.24), strict=True))
    rows = categories_of(scored(**units), judged_runs(), VERDICTS.empty())
    assert [rows[key]["score"] for key in DIMENSIONS] == ["pass", "pass", None, "partial", "partial", "fail"]
    assert [rows[key]["int_score"] for key in DIMENSIONS] == [5, 4, None, 3, 3, 1]
    assert rows["evidence_linkage"]["reasoning"] == "Not measured."
    assert all(rows[key]["confidence"] is None for key in DIMENSIONS)


def test_a_policy_chooses_the_category_of_a_run_before_the_mean_over_runs():
    rows = pl.concat([judged("PPF"), judged("PPP").with_columns(run_index=pl.lit(1, pl.Int64))])
    runs = judged_runs((0, 2 / 3, []), (1, 1.0, []))
    base = scored(evidence_linkage=5 / 6)
    found = {
        name: categories_of(base, runs, rows, judges=name)["evidence_linkage"]
        for name in ("mean", "majority", "conservative", "unanimous")
    }
    assert found["mean"]["unit_score"] == 5 / 6
    assert found["majority"]["unit_score"] == 1.0
    assert found["conservative"]["unit_score"] == 0.5
    assert (found["unanimous"]["score"], found["unanimous"]["is_disputed"]) == (None, True)


def test_a_closed_gate_stays_closed_whatever_the_policy_and_the_person():
    rows = verdicts({"judge_id": "human:ana", "unit_score": 1.0, "confidence": 0.9})
    row = categories_of(
        scored(evidence_linkage=0.0), judged_runs((0, 0.0, ["evidence_gate"])), rows, judges="optimistic"
    )["evidence_linkage"]
    assert (row["score"], row["unit_score"], row["confidence"]) == ("fail", 0.0, 0.9)


def test_a_model_has_the_categories_of_its_means_and_its_least_confidence():
    one = categorise(
        scored(grounding_accuracy=1.0, evidence_linkage=0.5),
        judged_runs((0, 0.5, [])),
        combine_judges(verdicts({"confidence": 0.4}), unreadable(), judges="mean"),
        summarise_judges(verdicts({"confidence": 0.4}), unreadable()),
        is_mean=True,
    )
    two = one.with_columns(task_id=pl.lit("U"), unit_score=pl.lit(0.7), confidence=pl.lit(0.8))
    weighed = weigh_categories(pl.concat([one, two]), required=("consistency",))
    model = {row["category_id"]: row for row in weighed.rows(named=True) if row["task_id"] is None}
    assert (model["grounding_accuracy"]["score"], model["grounding_accuracy"]["int_score"]) == ("pass", 4)
    assert model["evidence_linkage"]["confidence"] == 0.4
    assert model["consistency"]["is_required"]
    assert weighed.height == 3 * len(DIMENSIONS)
    assert set(JUDGED) < set(model)
