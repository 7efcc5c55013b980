"""The twin's entry: tables of scores from tasks, runs and verdicts."""

from __future__ import annotations

from typing import Any

from .answer import Answer, read_answer
from .claims import check_claims
from .consistency import check_consistency
from .facts import check_facts
from .rollups import roll_up
from .scores import DIMENSIONS, score_group, score_run
from .verdicts import Verdicts

Row = dict[str, Any]
Tables = dict[str, list[Row]]

_KEYS = {
    "fact_checks": ("model_id", "task_id", "run_index", "fact_id"),
    "claim_checks": ("model_id", "task_id", "run_index", "claim_id"),
    "run_scores": ("model_id", "task_id", "run_index", "dimension"),
    "consistency": ("model_id", "task_id"),
    "task_scores": ("model_id", "task_id"),
    "track_scores": ("model_id", "track"),
    "pack_scores": ("model_id", "pack_id"),
    "overall_scores": ("model_id",),
}


def score(tasks: list[Row], runs: list[Row], verdicts: list[Row]) -> Tables:
    """Score valid runs of known tasks with valid verdicts.

    Returns:
        The rows of every scoring table by the table's name, sorted by key.
    """
    known = Verdicts(verdicts)
    catalogue = [_place(task) for task in tasks]
    by_id = {task["task_id"]: task for task in tasks}
    groups: dict[tuple[str, str], list[Answer]] = {}
    for answer in sorted((read_answer(run) for run in runs), key=lambda answer: answer.key):
        groups.setdefault(answer.key[:2], []).append(answer)
    tables: Tables = {name: [] for name in _KEYS}
    for (_, task_id), answers in groups.items():
        _score_group(by_id[task_id], answers, known, tables)
    claims = tables["claim_checks"]
    for name, level in (("track_scores", ("track",)), ("pack_scores", ("pack_id",)), ("overall_scores", ())):
        tables[name] = roll_up(tables["task_scores"], claims, catalogue, level)
    for row in claims:
        del row["settled"]
    return {name: sorted(rows, key=_key_of(name)) for name, rows in tables.items()}


def _key_of(name: str) -> Any:
    return lambda row: tuple(row[column] for column in _KEYS[name])


def _place(task: Row) -> Row:
    """Where a task belongs: its track and its pack."""
    return {
        "task_id": task["task_id"],
        "track": task["track"],
        "pack_id": task.get("pack_id") or "pack_default",
    }


def _score_group(task: Row, answers: list[Answer], verdicts: Verdicts, tables: Tables) -> None:
    """Add the rows of all runs of one model on one task."""
    judged = {
        dimension
        for dimension in DIMENSIONS
        if any(verdicts.dimension(answer.key, dimension) is not None for answer in answers)
    }
    run_rows: list[Row] = []
    claims: list[Row] = []
    for answer in answers:
        facts = check_facts(task, answer, verdicts)
        checks = check_claims(task, answer, verdicts)
        run_rows.extend(score_run(task, answer, facts, checks, verdicts, judged))
        claims.extend(checks)
        tables["fact_checks"].extend(facts)
    consistency = check_consistency(answers)
    tables["claim_checks"].extend(claims)
    tables["run_scores"].extend(run_rows)
    tables["consistency"].append(consistency)
    tables["task_scores"].append(score_group(task, _place(task)["pack_id"], run_rows, claims, consistency))
