"""Stage score changes: the scores of two results -> those that differ, by group, level and model."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from grade.db import Database, opened
from grade.diff.flips import join_versions
from grade.diff.tables import CHANGE_SUMMARY, GROUP_CHANGES, MODEL_CHANGES, SCORE_CHANGES
from grade.dimensions import DIMENSIONS
from grade.schemas import GROUP_KEY, check
from grade.stats.bootstrap import Floats
from grade.stats.comparison import holm, paired_differences

MEASURES: Final = ("composite", *DIMENSIONS)
ALPHA: Final = 0.05
"""A change is beyond noise when its p value, after Holm's correction, is below this."""

_SCOPES: Final = (("task", "task_id"), ("track", "track"), ("pack", "pack_id"), ("model", None))
_PLACES: Final = ("task_id", "track", "pack_id")


class Levels(NamedTuple):
    """The scores of some models at every level.

    Attributes:
        task: TASK_SCORES.
        track: TRACK_SCORES.
        pack: PACK_SCORES.
        overall: OVERALL_SCORES.
    """

    task: pl.DataFrame
    track: pl.DataFrame
    pack: pl.DataFrame
    overall: pl.DataFrame


class Flips(NamedTuple):
    """What came out differently for some models.

    Attributes:
        facts: FACT_FLIPS.
        claims: CLAIM_FLIPS.
        decisions: DECISION_FLIPS.
    """

    facts: pl.DataFrame
    claims: pl.DataFrame
    decisions: pl.DataFrame


def compare_scores(old: Levels, new: Levels) -> pl.DataFrame:
    """Return every score that both results have a row for and that differs.

    Args:
        old: The levels of some models in the one result.
        new: The levels of the same models in the other.

    Returns:
        SCORE_CHANGES; the change is null where one of the two was not measured.
    """
    parts = [
        _changes(before, after, scope, place)
        for before, after, (scope, place) in zip(old, new, _SCOPES, strict=True)
    ]
    changes = pl.concat(parts).select(SCORE_CHANGES.columns).sort(SCORE_CHANGES.key, nulls_last=False)
    return check(changes, SCORE_CHANGES, where="compare_scores")


def _changes(old: pl.DataFrame, new: pl.DataFrame, scope: str, place: str | None) -> pl.DataFrame:
    key = ["model_id", *([place] if place else [])]
    before, after = (
        frame.select(*key, *MEASURES).unpivot(MEASURES, index=key, variable_name="measure")
        for frame in (old, new)
    )
    both = join_versions(before, after, [*key, "measure"], ["value"])
    absent = [pl.lit(None, SCORE_CHANGES.dtypes[name]).alias(name) for name in _PLACES if name != place]
    return (
        both.filter(pl.col("old_value").ne_missing(pl.col("new_value")))
        .with_columns(pl.lit(scope).alias("scope"), *absent, change=pl.col("new_value") - pl.col("old_value"))
        .select(SCORE_CHANGES.columns)
    )


def compare_groups(old: pl.DataFrame, new: pl.DataFrame, flips: Flips) -> pl.DataFrame:
    """Bring the changes of each group together.

    Args:
        old: TASK_SCORES of some models in the one result.
        new: TASK_SCORES of the same models in the other.
        flips: What flipped.

    Returns:
        GROUP_CHANGES; groups compare when their composites are made of the same dimensions.
    """
    both = join_versions(old, new, GROUP_KEY, MEASURES, ["track", "pack_id"])
    same = [pl.col(f"old_{name}").is_null() == pl.col(f"new_{name}").is_null() for name in DIMENSIONS]
    gained, better = pl.col("new_matched"), pl.col("new_made") != (pl.col("kind") == "forbidden")
    counts = {
        "n_facts_gained": flips.facts.filter(gained),
        "n_facts_lost": flips.facts.filter(~gained),
        "n_claims_better": flips.claims.filter(better),
        "n_claims_worse": flips.claims.filter(~better),
        "n_decisions_changed": flips.decisions.drop_nulls("task_id"),
    }
    groups = both.with_columns(is_comparable=pl.all_horizontal(same))
    for name, rows in counts.items():
        counted = rows.group_by(GROUP_KEY).agg(pl.len().cast(pl.Int64).alias(name))
        groups = groups.join(counted, on=list(GROUP_KEY), how="left").with_columns(pl.col(name).fill_null(0))
    return check(groups.select(GROUP_CHANGES.columns).sort(GROUP_KEY), GROUP_CHANGES, where="compare_groups")


def summarise_changes(groups: pl.DataFrame, *, database: Database | None = None) -> pl.DataFrame:
    """Add up the changes of groups by task, track, pack and model.

    Args:
        groups: GROUP_CHANGES of all models.
        database: An open database to use.

    Returns:
        CHANGE_SUMMARY.
    """
    with opened(database) as db:
        summary = db.query("diff/change_summary", {"group_changes": groups})
    return check(summary, CHANGE_SUMMARY, where="summarise_changes")


def compare_models(groups: pl.DataFrame, old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Tell for each model how its composite and rank changed, and whether that is beyond noise.

    The test asks whether the changes on single tasks would as easily sum up to this if each could
    have gone either way (`grade.stats.comparison`); tasks whose composites are made of other
    dimensions than before are left out of it. Holm's correction is for all models together.

    Args:
        groups: GROUP_CHANGES of all models.
        old: The leaderboard of the one result, from `grade.rollup.rank_models`.
        new: That of the other.

    Returns:
        MODEL_CHANGES; is_beyond_noise is null where there is no test.
    """
    ranked = join_versions(old, new, ["model_id"], ["composite", "section", "rank"])
    changes = ranked.with_columns(change=pl.col("new_composite") - pl.col("old_composite"))
    joined = changes.join(_tested(groups), on="model_id", how="left", validate="1:1").with_columns(
        pl.col("n_measured").fill_null(0), pl.col("no_interval").fill_null("not_measured")
    )
    tested = joined.with_columns(
        no_interval=pl.when(pl.col("p_value").is_null()).then("no_interval"),
        is_beyond_noise=pl.col("p_holm") < ALPHA,
    )
    ordered = tested.select(pl.col(name).cast(kind) for name, kind in MODEL_CHANGES.dtypes.items()).sort(
        "model_id"
    )
    return check(ordered, MODEL_CHANGES, where="compare_models")


def _tested(groups: pl.DataFrame) -> pl.DataFrame:
    """The paired test of each model: one row per model that shares a task."""
    models = groups["model_id"].unique().sort()
    made = paired_differences(_changes_by_task(groups, models))
    return pl.DataFrame(
        {
            "model_id": models,
            "n_measured": made.n,
            "difference": made.difference,
            "low": made.low,
            "high": made.high,
            "p_value": made.p_value,
            "p_holm": holm(made.p_value),
            "no_interval": pl.Series([text or None for text in made.reason], dtype=pl.String),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))


def _changes_by_task(groups: pl.DataFrame, models: pl.Series) -> Floats:
    """Changes of composites as an array: one row per task, one column per model, NaN where none."""
    change = pl.when("is_comparable").then(pl.col("new_composite") - pl.col("old_composite"))
    rows, columns = (groups[name].rank("dense").to_numpy() - 1 for name in GROUP_KEY[::-1])
    values = np.full((groups["task_id"].n_unique(), len(models)), np.nan)
    values[rows, columns] = groups.select(change.fill_null(np.nan)).to_series().to_numpy()
    return values
