"""Whatever is answered: scores lie between 0 and 1 or are null, and no row is lost or doubled."""

from __future__ import annotations

import polars as pl
from hypothesis import HealthCheck, given, settings
from support.fuzzing import examples
from support.scoring import SCORED, score_records
from support.strategies import records

from grade.dimensions import DIMENSIONS
from grade.schemas import GROUP_KEY, RUN_KEY

SHARES = {
    *DIMENSIONS,
    *("score", "composite", "rubric_composite", "weight_scored", "claims_judged", "task_coverage"),
    *("finding_stability", "ranking_stability", "metric_variance", "similarity"),
}
CLAIM_LISTS = ("gold_insights", "required_limitations", "forbidden_claims")


def check_bounds(tables):
    for name in SCORED:
        for column in SHARES & set(tables[name].columns):
            values = tables[name][column].drop_nulls()
            assert values.is_between(0, 1).all(), (name, column)
            assert not values.is_nan().any(), (name, column)


def check_rows(given_records, tables):
    tasks = {task["task_id"]: task for task in given_records.tasks}
    asked = [tasks[run["task_id"]] for run in given_records.runs]
    groups = {(run["model_id"], run["task_id"]) for run in given_records.runs}
    expected = {
        "runs": len(given_records.runs),
        "verdicts": len(given_records.verdicts),
        "fact_checks": sum(len(task["gold_facts"]) for task in asked),
        "claim_checks": sum(len(task[name]) for task in asked for name in CLAIM_LISTS),
        "citation_checks": sum(len(run.get("evidence_citations", [])) for run in given_records.runs),
        "run_scores": len(DIMENSIONS) * len(asked),
        "consistency": len(groups),
        "task_scores": len(groups),
        "track_scores": len({(model, tasks[task_id]["track"]) for model, task_id in groups}),
        "pack_scores": len({(model, tasks[task_id]["pack_id"]) for model, task_id in groups}),
        "overall_scores": len({model for model, _ in groups}),
    }
    assert {name: tables[name].height for name in expected} == expected


def check_keys(tables):
    keys = {
        "fact_checks": [*RUN_KEY, "fact_id"],
        "claim_checks": [*RUN_KEY, "claim_id"],
        "run_scores": [*RUN_KEY, "dimension"],
        "task_scores": list(GROUP_KEY),
    }
    for name, key in keys.items():
        assert not tables[name].select(key).is_duplicated().any(), name
        assert tables[name].equals(tables[name].sort(key)), name


def check_nulls(tables):
    """What the task measures and the answer is judged on has a score; the rest has none."""
    rows = tables["task_scores"]
    for key in DIMENSIONS:
        assert (rows[key].is_null() == (rows[f"n_scored_{key}"] == 0)).all(), key
    measured = rows.select(pl.any_horizontal(pl.col(DIMENSIONS).is_not_null())).to_series()
    assert (rows["composite"].is_not_null() == measured).all()


@settings(max_examples=examples(8), deadline=None, suppress_health_check=list(HealthCheck))
@given(records())
def test_scores_are_shares_and_every_check_has_its_row(given_records):
    tables = score_records(given_records.tasks, given_records.runs, given_records.verdicts)
    check_bounds(tables)
    check_rows(given_records, tables)
    check_keys(tables)
    check_nulls(tables)
