"""A mean never hides what it is a mean of, and no row is lost or doubled on the way to it."""

from __future__ import annotations

import json
from math import fsum

import polars as pl
import pytest
from small_inputs import run, task, write_lines

from grade.report.filenames import file_stem

FULL, PART = "lab/full", "lab/part"
N_RUNS = 3


def facts(n: int) -> list[dict]:
    """A task's facts; several of them are the same claim, so that a careless join would multiply."""
    claim = {"claim": "The program enrolls 135 students.", "numeric_value": 135, "tolerance": 0}
    return [claim | {"fact_id": f"F{k}"} for k in range(1 + n % 3)]


@pytest.fixture(scope="module")
def partial(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("denominators")
    tasks = [task(f"T-{n:02}", track=1 + n % 5, gold_facts=facts(n)) for n in range(10)]
    write_lines(folder / "packs" / "ten" / "tasks.jsonl", tasks)
    runs = [
        run(index, model, one["task_id"])
        for model, n_tasks in ((FULL, 10), (PART, 6))
        for one in tasks[:n_tasks]
        for index in range(N_RUNS)
    ]
    write_lines(folder / "runs.jsonl", [*runs, "{", *runs[:4]])
    finished = command(folder, "score", "runs.jsonl", "--packs", "packs", "--out", "out", "--max-rejects", 1)
    assert finished.returncode == 0, finished.stderr
    return folder / "out"


def table(out, name: str) -> pl.DataFrame:
    return pl.read_parquet(out / f"{name}.parquet")


def test_a_mean_over_6_of_10_tasks_is_shown_as_one_everywhere(partial):
    row = table(partial, "overall_scores").filter(model_id=PART).row(0, named=True)
    assert (row["n_tasks"], row["task_coverage"]) == (6, 0.6)
    board = (partial / "leaderboard.md").read_text()
    assert "60 %" in board
    assert not any(PART in part and FULL in part for part in board.split("\n## "))
    assert "only 60.0 % of the tasks answered" in board
    card = (partial / "scorecards" / f"{file_stem(PART)}.md").read_text()
    assert "from 18 runs on 6 tasks" in card
    assert "Tasks answered: 6, which is 60 % of the catalogue." in card
    results = [json.loads(path.read_text()) for path in (partial / "results").iterdir()]
    told = next(result for result in results if result["model_id"] == PART)
    assert told["task_count"] == 6
    assert told["extensions"]["task_coverage"] == 0.6


def test_the_mean_is_one_over_the_tasks_that_were_answered(partial):
    tasks = table(partial, "task_scores").filter(model_id=PART)
    row = table(partial, "overall_scores").filter(model_id=PART).row(0, named=True)
    assert tasks.height == 6
    assert row["composite"] == pytest.approx(fsum(tasks["composite"]) / 6, abs=1e-12)


def test_n_travels_with_every_mean(partial):
    tasks = table(partial, "task_scores")
    assert tasks["n_runs"].to_list() == [N_RUNS] * 16
    for name in ("track_scores", "pack_scores", "overall_scores"):
        level = table(partial, name)
        for dimension in ("grounding_accuracy", "evidence_linkage"):
            counted = level[f"n_scored_{dimension}"]
            assert ((counted == 0) == level[dimension].is_null()).all()
            assert (counted <= level["n_tasks"]).all()


def test_rows_in_are_rows_made_and_refused_at_each_stage(partial):
    stages = json.loads((partial / "manifest.json").read_text())["stages"]
    for name, kind in (("read_runs", "runs"), ("read_verdicts", "verdicts")):
        stage = stages[name]
        assert stage["received"]["records"] == stage["made"][kind] + sum(stage["refused"].values())
    assert stages["read_runs"]["received"]["records"] == 48 + 1 + 4
    assert stages["read_runs"]["refused"] == {"rejects": 1, "duplicates": 4, "replaced": 0}
    assert stages["score"]["received"]["runs"] == table(partial, "runs").height == 48
    assert stages["score"]["refused"] == {"runs": 0}
    for stage in stages.values():
        for name, n_rows in stage["made"].items():
            path = partial / f"{name}.parquet"
            assert not path.exists() or pl.read_parquet(path).height == n_rows, name


def test_a_join_on_gold_multiplies_no_run(partial):
    runs, n_facts = table(partial, "runs"), {f"T-{n:02}": len(facts(n)) for n in range(10)}
    key = ["model_id", "task_id", "run_index"]
    assert runs.select(key).is_unique().all()
    checks = table(partial, "fact_checks").group_by(key).len()
    assert checks.height == runs.height
    assert all(n == n_facts[task_id] for task_id, n in checks.select("task_id", "len").rows())
    assert table(partial, "run_scores").group_by(key).len()["len"].unique().to_list() == [6]
    assert table(partial, "consistency").height == table(partial, "task_scores").height == 16


def test_every_score_lies_between_0_and_1(partial):
    for path in partial.glob("*scores.parquet"):
        frame = pl.read_parquet(path)
        for name in frame.columns:
            if name in {"score", "composite", "weight_scored", "task_coverage", "claims_judged"}:
                values = frame[name].drop_nulls()
                assert values.is_between(0, 1).all(), (path.name, name)
