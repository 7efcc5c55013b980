"""The chapter on composites and roll-ups."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest
from book import Case, read_chapter
from cases import verdicts
from support.scoring import run, score_records, task

from grade.dimensions import DIMENSIONS
from grade.rollup import roll_up_tasks
from grade.schemas import CLAIM_CHECKS, CONSISTENCY, RUN_SCORES, TASKS

CHAPTER = read_chapter("rollups")
COLUMNS = {
    "grounding": "grounding_accuracy",
    "insight": "insight_quality",
    "evidence": "evidence_linkage",
    "calibration": "calibration_limitation_handling",
    "consistency": "consistency",
    "structure": "structure_usability",
}


def of_rule(words: str) -> list[Case]:
    return [case for case in CHAPTER if case.rule == words]


COMPOSITES = of_rule("Composite of a task")
TASKS_OF_EXAMPLE = of_rule("The catalogue of the example")
ANSWERS = of_rule("The answers of the example")
TASK_SCORES = of_rule("The task scores of the example")
ROLL_UPS = of_rule("The roll-ups of the example")


def gold(case: Case) -> dict:
    facts = [
        {"fact_id": f"F{number}", "claim": f"Desk {number}.", "numeric_value": number}
        for number in range(int(case.cells["facts"]))
    ]
    return task(
        case.cells["task"],
        track=int(case.cells["track"]),
        pack_id=f"pack_{case.cells['pack']}",
        gold_facts=facts,
        gold_insights=["Waits fell in town."] * int(case.cells["insights"]),
    )


def example() -> tuple[list, list, list]:
    runs, given = [], []
    for case in ANSWERS:
        said = run(
            case.cells["task"],
            int(case.cells["run"]),
            case.cells["model"],
            structured_metrics={f"F{n}": n for n in range(int(case.cells["facts stated"]))},
            key_findings=["Waits fell in town."] * int(case.cells["insights made"]),
            raw_response_text="Hello there.",
        )
        runs.append(said)
        given += verdicts(case.texts("structure verdict"), said, dimension="structure_usability")
    return [gold(case) for case in TASKS_OF_EXAMPLE], runs, given


@cache
def tables() -> dict[str, pl.DataFrame]:
    return score_records(*example())


@cache
def composites() -> pl.DataFrame:
    """The composites of groups that have the scores of the table."""
    names = [case.task_id for case in COMPOSITES]
    scores = [{key: case.number_of(column) for column, key in COLUMNS.items()} for case in COMPOSITES]
    weights = [[float(part) / 100 for part in case.cells["rubric"].split()] for case in COMPOSITES]
    group = {"model_id": "m", "run_index": 0, "source": "rule", "flags": []}
    run_scores = [
        group | {"task_id": name, "dimension": key, "score": None if key == "consistency" else value}
        for name, row in zip(names, scores, strict=True)
        for key, value in row.items()
    ]
    consistency = [
        {"model_id": "m", "task_id": name, "n_runs": 2, "consistency": row["consistency"]}
        for name, row in zip(names, scores, strict=True)
    ]
    blank = {"title": "", "task_type": "", "user_prompt": "", "allowed_inputs": []}
    tasks = [
        blank
        | {"task_id": name, "pack_id": "pack_a", "track": 1}
        | {f"weight_{key}": weight for key, weight in zip(DIMENSIONS, row, strict=True)}
        for name, row in zip(names, weights, strict=True)
    ]
    return roll_up_tasks(
        pl.DataFrame(run_scores, schema=RUN_SCORES.dtypes),
        pl.DataFrame([dict.fromkeys(CONSISTENCY.columns) | row for row in consistency], CONSISTENCY.dtypes),
        CLAIM_CHECKS.empty(),
        pl.DataFrame([dict.fromkeys(TASKS.columns) | row for row in tasks], TASKS.dtypes),
    )


def expected(case: Case, column: str) -> object:
    value = case.number_of(column)
    return None if value is None else pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("case", COMPOSITES, ids=str)
def test_a_composite_is_weighed_as_written_here(case):
    row = composites().row(by_predicate=pl.col("task_id") == case.task_id, named=True)
    for column in ("composite", "weight scored", "rubric composite"):
        assert row[column.replace(" ", "_")] == expected(case, column), column


@pytest.mark.parametrize("case", TASK_SCORES, ids=str)
def test_a_task_is_scored_as_written_here(case):
    of_row = (pl.col("model_id") == case.cells["model"]) & (pl.col("task_id") == case.cells["task"])
    row = tables()["task_scores"].row(by_predicate=of_row, named=True)
    assert (row["n_runs"], row["n_scored_structure_usability"]) == (
        int(case.cells["runs"]),
        int(case.cells["structure runs"]),
    )
    names = {column: key for column, key in COLUMNS.items() if column in case.cells}
    for column, name in {**names, "composite": "composite", "weight scored": "weight_scored"}.items():
        assert row[name] == expected(case, column), column


@pytest.mark.parametrize("case", ROLL_UPS, ids=str)
def test_a_level_is_rolled_up_as_written_here(case):
    level, of = case.cells["level"], case.cells["of"]
    of_level = {"track": pl.col("track") == int(of) if level == "track" else None}
    of_level |= {"pack": pl.col("pack_id") == f"pack_{of}", "overall": pl.lit(value=True)}
    of_model = pl.col("model_id") == case.cells["model"]
    row = tables()[f"{level}_scores"].row(by_predicate=of_model & of_level[level], named=True)
    assert row["n_tasks"] == int(case.cells["tasks"])
    for column in ("grounding", "insight", "structure"):
        assert row[COLUMNS[column]] == expected(case, column), column
        assert row[f"n_scored_{COLUMNS[column]}"] == int(case.cells[f"{column} tasks"]), column
    assert row["task_coverage"] == expected(case, "coverage")
    assert row["claims_judged"] == expected(case, "settled")
