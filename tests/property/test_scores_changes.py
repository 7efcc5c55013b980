"""What a change of an answer may do to its scores, and what it may not.

Each change is tried as another model that gives the changed answers, so that one scoring shows
both, and also that models do not touch each other's scores.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from hypothesis import HealthCheck, given, settings
from support.fuzzing import examples
from support.scoring import SCORED, score_records
from support.strategies import Record, Records, records

from grade.schemas import RUN_KEY

CALIBRATION = "calibration_limitation_handling"
Change = Callable[[Record, Record, list[Record]], Record]


def repeated(run: Record, _task: Record, _group: list[Record]) -> Record:
    """The last finding is said twice."""
    return run | {"key_findings": [*run["key_findings"], *run["key_findings"][-1:]]}


def accusing(run: Record, task: Record, _group: list[Record]) -> Record:
    """A forbidden claim is made on top of everything."""
    return run | {"key_findings": [*run["key_findings"], *task["forbidden_claims"][:1]]}


def like_the_first(run: Record, _task: Record, group: list[Record]) -> Record:
    """Every run of the group says the same."""
    return group[0] | {"run_index": run["run_index"]}


def changed(given_records: Records, change: Change, prefix: str) -> tuple[list[Record], list[Record]]:
    """The runs and verdicts of models whose answers are changed."""
    tasks = {task["task_id"]: task for task in given_records.tasks}
    groups: dict[tuple, list[Record]] = {}
    for run in given_records.runs:
        groups.setdefault((run["model_id"], run["task_id"]), []).append(run)
    runs = [
        change(run, tasks[run["task_id"]], groups[run["model_id"], run["task_id"]])
        | {"model_id": prefix + run["model_id"]}
        for run in given_records.runs
    ]
    return runs, [found | {"model_id": prefix + found["model_id"]} for found in given_records.verdicts]


def of_original(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(~pl.col("model_id").str.contains("=>"))


def of_changed(table: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """The rows of the changed models under the names of the original ones."""
    rows = table.filter(pl.col("model_id").str.starts_with(prefix))
    return rows.with_columns(pl.col("model_id").str.strip_prefix(prefix))


def check_repetition(tables):
    """Saying a finding twice changes no check and no score, nor the stability of the group."""
    for name in SCORED:
        assert of_changed(tables[name], "repeated=>").equals(of_original(tables[name])), name


def check_accusation(tables):
    """A forbidden claim that was made stays made; calibration never rises where it has just that part."""
    key = [*RUN_KEY, "claim_id"]
    checks = tables["claim_checks"].filter(pl.col("kind") == "forbidden")
    before, after = of_original(checks), of_changed(checks, "accusing=>")
    spoken = before.filter(pl.col("reason").fill_null("") != "empty_response")
    pairs = spoken.join(after, on=key, suffix="_after")
    assert pairs.height == spoken.height
    assert (pairs["score_after"] <= pairs["score"]).all()
    whole = tables["run_scores"].filter(pl.col("dimension") == CALIBRATION)
    settled = of_original(whole).filter(~pl.col("flags").list.contains("empty_response"))
    both = settled.join(of_changed(whole, "accusing=>"), on=list(RUN_KEY), suffix="_after")
    assert (both["score_after"] <= both["score"]).all()


def check_constancy(tables):
    """Runs that all say the same are perfectly consistent, or say nothing that could be compared."""
    groups = of_changed(tables["consistency"], "like=>").filter(pl.col("n_runs") > 1)
    for column in ("finding_stability", "ranking_stability", "metric_variance", "consistency"):
        assert set(groups[column].drop_nulls()) <= {1.0}, column


@settings(max_examples=examples(7), deadline=None, suppress_health_check=list(HealthCheck))
@given(records())
def test_changes_do_what_they_must_and_models_keep_apart(given_records):
    # Without insights, a forbidden claim cannot happen to make one.
    tasks = [task | {"gold_insights": []} for task in given_records.tasks]
    verdicts = [found for found in given_records.verdicts if "insight:" not in str(found.get("claim_id"))]
    bare = Records(tasks, given_records.runs, verdicts)
    runs, judged = list(bare.runs), list(bare.verdicts)
    for change, prefix in ((repeated, "repeated=>"), (accusing, "accusing=>"), (like_the_first, "like=>")):
        more_runs, more_verdicts = changed(bare, change, prefix)
        runs += more_runs
        judged += more_verdicts
    tables = score_records(tasks, runs, judged)
    check_repetition(tables)
    check_accusation(tables)
    check_constancy(tables)
    alone = score_records(tasks, bare.runs, bare.verdicts)
    for name in SCORED:
        assert of_original(tables[name]).equals(alone[name]), name
