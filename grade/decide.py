"""Stage decide: the categories and findings of groups, models or single documents become decisions.

The rules stand in `sql/decisions.sql`, in the order in which they are tried.
"""

from __future__ import annotations

import polars as pl

from grade.db import Database, opened
from grade.errors import ContractError
from grade.policy import Policy
from grade.schemas import DECISIONS, GROUP_KEY, check


def decide(
    subjects: pl.DataFrame,
    judged_categories: pl.DataFrame,
    finding_counts: pl.DataFrame,
    *,
    policy: Policy,
    confidence_threshold: float,
    database: Database | None = None,
) -> pl.DataFrame:
    """Decide on each subject by the first rule that holds.

    The integer score is floor(weighted mean + 0.5) over the categories that have one, the
    confidence the least that is not null; both are null when no category has any.

    Args:
        subjects: The group key of everything to decide on; task_id is null for a model.
        judged_categories: JUDGED_CATEGORIES.
        finding_counts: FINDING_COUNTS.
        policy: Limits that are tried before the rules.
        confidence_threshold: A confidence below this is low, unless the policy has its own.
        database: An open database to use; one is opened and closed if none is given.

    Returns:
        DECISIONS, one row per subject, without previous_status.

    Raises:
        ContractError: The result breaks its schema, or a subject is lost or doubled.
    """
    own = policy.confidence_threshold
    params = {
        "confidence_threshold": float(confidence_threshold if own is None else own),
        "max_critical": policy.max_critical,
        "max_high": policy.max_high,
        "max_medium": policy.max_medium,
        "min_int_score": policy.min_int_score,
        "policy": policy.name,
        "policy_sha256": policy.digest,
    }
    frames = {
        "subjects": subjects.select(GROUP_KEY),
        "judged_categories": judged_categories,
        "finding_counts": finding_counts,
    }
    with opened(database) as db:
        decisions = db.query("decisions", frames, params)
    if decisions.height != subjects.height:
        raise ContractError(f"{decisions.height} decisions for {subjects.height} subjects")
    return check(decisions, DECISIONS, where="decide")


def note_changes(decisions: pl.DataFrame, previous: pl.DataFrame) -> pl.DataFrame:
    """Put beside each decision what an earlier one said of the same group or model.

    Args:
        decisions: DECISIONS.
        previous: DECISIONS of the earlier result.

    Returns:
        DECISIONS; previous_status is null where there was no earlier decision.
    """
    before = previous.select(*GROUP_KEY, previous_status="status")
    noted = decisions.drop("previous_status").join(
        before, on=list(GROUP_KEY), how="left", nulls_equal=True, validate="1:1", maintain_order="left"
    )
    return check(noted.select(DECISIONS.columns), DECISIONS, where="note_changes")
