"""Track, pack and overall scores of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .scores import DIMENSIONS, scored_weight, share_settled
from .verdicts import mean

Row = dict[str, Any]


def roll_up(
    task_rows: list[Row], claims: list[Row], catalogue: list[Row], names: tuple[str, ...]
) -> list[Row]:
    """One row per model and value of the columns `names` (none of them for overall scores).

    `catalogue` has a row of task_id, track and pack_id for every task there is.
    """
    place = {task["task_id"]: task for task in catalogue}
    level = _level(names)
    keys = sorted({(row["model_id"], *level(row)) for row in task_rows})
    rows = []
    for model_id, *values in keys:
        group = [row for row in task_rows if row["model_id"] == model_id and level(row) == values]
        checks = [
            row for row in claims if row["model_id"] == model_id and level(place[row["task_id"]]) == values
        ]
        n_tasks = sum(1 for task in catalogue if level(task) == values)
        keyed = {"model_id": model_id, **dict(zip(names, values, strict=True))}
        rows.append({**keyed, **_summary(group, checks, n_tasks)})
    return rows


def _level(names: tuple[str, ...]) -> Callable[[Row], list[Any]]:
    """The function that reads a row's values of the grouping columns."""

    def level(row: Row) -> list[Any]:
        return [row[name] for name in names]

    return level


def _summary(group: list[Row], checks: list[Row], n_tasks: int) -> Row:
    """The means of task scores, dimension by dimension, and of task composites."""
    values = {name: [row[name] for row in group if row[name] is not None] for name in DIMENSIONS}
    scores = {name: mean(values[name]) for name in DIMENSIONS}
    return {
        "n_tasks": len(group),
        "task_coverage": len(group) / n_tasks,
        **scores,
        "composite": mean([row["composite"] for row in group if row["composite"] is not None]),
        "weight_scored": scored_weight(scores),
        "claims_judged": share_settled(checks),
        **{f"n_scored_{name}": len(values[name]) for name in DIMENSIONS},
    }
