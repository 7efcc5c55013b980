"""Stage roll up: run scores to task scores, task scores to track, pack and overall scores.

The arithmetic stands in `sql/`: means over what was scored, never over what was not, with the
counts beside them. Sums have a fixed order, so that the same rows give the same bits.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.db import Database, opened
from grade.desk_schemas import INTERVALS
from grade.errors import ContractError
from grade.levels import RollUps, dimension_frame
from grade.schemas import GROUP_KEY, OVERALL_SCORES, PACK_SCORES, TASK_SCORES, TRACK_SCORES, check

_RUN_SCORE_COLUMNS: Final = (*GROUP_KEY, "dimension", "score", "flags")
_CLAIM_COLUMNS: Final = (*GROUP_KEY, "status", "reason")


def roll_up_tasks(
    run_scores: pl.DataFrame,
    consistency: pl.DataFrame,
    claim_checks: pl.DataFrame,
    tasks: pl.DataFrame,
    *,
    database: Database | None = None,
) -> pl.DataFrame:
    """Bring the runs of each group together.

    A dimension is the mean over the group's scored runs (consistency: the group's own value) and
    null when no run is scored. The composite is the weighted mean over the dimensions that are
    not null; it is null when all are.

    Args:
        run_scores: RUN_SCORES of whole groups.
        consistency: CONSISTENCY of the same groups; one row of it is one row of the result.
        claim_checks: CLAIM_CHECKS of the same runs.
        tasks: TASKS, the whole catalogue.
        database: An open database to use; one is opened and closed if none is given.

    Returns:
        TASK_SCORES, sorted by key.

    Raises:
        ContractError: The result breaks its schema, or a group is lost or doubled.
    """
    frames = {
        "run_scores": run_scores.select(_RUN_SCORE_COLUMNS),
        "consistency": consistency,
        "claim_checks": claim_checks.select(_CLAIM_COLUMNS),
        "tasks": tasks,
        "dimensions": dimension_frame(),
    }
    with opened(database) as db:
        task_scores = db.query("task_scores", frames)
    if task_scores.height != consistency.height:
        raise ContractError(f"task_scores has {task_scores.height} rows for {consistency.height} groups")
    return check(task_scores, TASK_SCORES, where="roll_up_tasks")


def roll_up(task_scores: pl.DataFrame, tasks: pl.DataFrame, *, database: Database | None = None) -> RollUps:
    """Average task scores by track, by pack and over all tasks of a model.

    Every score is the arithmetic mean over the tasks where it is measured, with `n_scored` beside
    it; `claims_judged` is pooled over all checks; `task_coverage` compares with the catalogue.

    Args:
        task_scores: TASK_SCORES of all models.
        tasks: TASKS, the whole catalogue.
        database: An open database to use; one is opened and closed if none is given.

    Raises:
        ContractError: A result breaks its schema.
    """
    frames = {"task_scores": task_scores, "tasks": tasks, "dimensions": dimension_frame()}
    with opened(database) as db:
        rolled = {"rolled": db.query("roll_up", frames)}
        return RollUps(
            check(db.query("track_scores", rolled), TRACK_SCORES, where="roll_up"),
            check(db.query("pack_scores", rolled), PACK_SCORES, where="roll_up"),
            check(db.query("overall_scores", rolled), OVERALL_SCORES, where="roll_up"),
        )


def rank_models(
    overall_scores: pl.DataFrame,
    task_scores: pl.DataFrame,
    intervals: pl.DataFrame | None = None,
    *,
    database: Database | None = None,
) -> pl.DataFrame:
    """Rank models within sections of equal comparability, the most complete section first.

    Args:
        overall_scores: OVERALL_SCORES.
        task_scores: TASK_SCORES of the same models, to tell which tasks each answered.
        intervals: INTERVALS of the same models; without them, composites alone are ranked.
        database: An open database to use; one is opened and closed if none is given.

    Returns:
        One row per model: section (from 1), section_note (what is missing there, in words; empty
        for a complete section), rank, the composite's interval (low, high), and the columns of
        OVERALL_SCORES.
    """
    frames = {
        "overall_scores": overall_scores,
        "task_scores": task_scores.select(GROUP_KEY),
        "dimensions": dimension_frame(),
        "intervals": INTERVALS.empty() if intervals is None else intervals,
    }
    with opened(database) as db:
        return db.query("leaderboard", frames)
