"""From scores, verdicts and findings to categories, decisions and the agreement of judges."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from grade.agreement import measure_agreement
from grade.categories import categorise, weigh_categories
from grade.db import Database
from grade.decide import decide, note_changes
from grade.findings import add_model_counts
from grade.judges import combine_judges, count_unreadable, find_disagreements, summarise_judges
from grade.policy import Policy
from grade.schemas import GROUP_KEY


class Decided(NamedTuple):
    """What a policy makes of scored groups.

    Attributes:
        category_results: CATEGORY_RESULTS.
        decisions: DECISIONS of groups and models.
    """

    category_results: pl.DataFrame
    decisions: pl.DataFrame


class Judges(NamedTuple):
    """How the judges compare, whatever the policy.

    Attributes:
        disagreements: DISAGREEMENTS.
        agreement: AGREEMENT.
    """

    disagreements: pl.DataFrame
    agreement: pl.DataFrame


def decide_all(
    *,
    task_scores: pl.DataFrame,
    judged_runs: pl.DataFrame,
    verdicts: pl.DataFrame,
    rejects: pl.DataFrame,
    finding_counts: pl.DataFrame,
    policy: Policy,
    confidence_threshold: float,
    previous: pl.DataFrame | None = None,
    database: Database | None = None,
) -> Decided:
    """Decide on every group and every model.

    Args:
        task_scores: TASK_SCORES.
        judged_runs: `grade.categories.JUDGED_RUN_COLUMNS` of every run's judged dimensions.
        verdicts: VERDICTS.
        rejects: REJECTS; the unreadable verdicts among them keep their judges in the denominator.
        finding_counts: FINDING_COUNTS of the groups.
        policy: How judges are combined, and the limits.
        confidence_threshold: A confidence below this is low, unless the policy has its own.
        previous: DECISIONS of an earlier result, to be noted beside the new ones.
        database: An open database to use.
    """
    unreadable = count_unreadable(rejects, judged_runs)
    category_results = categorise(
        task_scores,
        judged_runs,
        combine_judges(verdicts, unreadable, judges=policy.judges),
        summarise_judges(verdicts, unreadable),
        is_mean=policy.judges == "mean",
    )
    groups = task_scores.select(GROUP_KEY)
    models = groups.select("model_id").unique().with_columns(pl.lit(None, pl.String).alias("task_id"))
    decisions = decide(
        pl.concat([models, groups]),
        weigh_categories(category_results, required=policy.required),
        add_model_counts(finding_counts),
        policy=policy,
        confidence_threshold=confidence_threshold,
        database=database,
    )
    if previous is not None:
        decisions = note_changes(decisions, previous)
    return Decided(category_results, decisions)


def compare_judges(verdicts: pl.DataFrame) -> Judges:
    """List where judges disagree, and measure how far they agree.

    Args:
        verdicts: VERDICTS.
    """
    return Judges(find_disagreements(verdicts), measure_agreement(verdicts))
