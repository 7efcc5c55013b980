"""Stage categories: the scores of groups as pass, partial and fail, with integer scores and confidence."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.dimensions import CONSISTENCY, DIMENSIONS, JUDGED, TITLES, WEIGHTS
from grade.expressions.categories import int_of_unit
from grade.expressions.verdicts import category_of_unit
from grade.schemas import CATEGORY_RESULTS, GROUP_KEY, JUDGED_CATEGORIES, RUN_KEY, check

JUDGED_RUN_COLUMNS: Final = (*RUN_KEY, "dimension", "score", "flags")
"""The columns of RUN_SCORES that `categorise` reads, of the judged dimensions only."""

_KEY: Final = [*GROUP_KEY, "dimension"]
_CLOSED: Final = ("evidence_gate", "empty_response")


def categorise(
    task_scores: pl.DataFrame,
    judged_runs: pl.DataFrame,
    combined: pl.DataFrame,
    judges: pl.DataFrame,
    *,
    is_mean: bool,
) -> pl.DataFrame:
    """Put each dimension of each group in a category.

    The unit score is the group's score. On the judged dimensions, where a policy combines the
    judges otherwise than by their mean or a person judged, it is the mean over runs of what
    `combined` says; a run that the gate closed, or that is empty, keeps its score.

    Args:
        task_scores: TASK_SCORES.
        judged_runs: `JUDGED_RUN_COLUMNS` of every run's judged dimensions.
        combined: From `grade.judges.combine_judges`.
        judges: From `grade.judges.summarise_judges`.
        is_mean: The policy combines judges by their mean.

    Returns:
        CATEGORY_RESULTS: six rows per group; score, unit_score and int_score are null where
        nothing was measured or the judges dispute.
    """
    replaced = _rejudged(judged_runs, combined, is_mean=is_mean)
    rows = (
        _long(task_scores)
        .join(replaced, on=_KEY, how="left", maintain_order="left")
        .join(judges, on=_KEY, how="left", maintain_order="left")
        .with_columns(pl.col("is_replaced", "is_disputed").fill_null(value=False))
        .with_columns(
            unit_score=pl.when("is_disputed")
            .then(None)
            .when("is_replaced")
            .then("rejudged")
            .otherwise("unit_score")
        )
    )
    is_judged = pl.col("dimension").is_in(JUDGED)
    rows = rows.select(
        *_KEY,
        "unit_score",
        "is_disputed",
        score=category_of_unit(pl.col("unit_score")),
        int_score=int_of_unit(pl.col("unit_score")),
        confidence=pl.when(is_judged).then("confidence"),
        reasoning=_reasoning(is_judged),
        n_judges=pl.when(is_judged).then("n_judges").fill_null(0),
        n_unreadable=pl.col("n_unreadable").fill_null(0),
    )
    return check(
        rows.select(CATEGORY_RESULTS.columns).sort(CATEGORY_RESULTS.key), CATEGORY_RESULTS, where="categorise"
    )


def weigh_categories(category_results: pl.DataFrame, *, required: tuple[str, ...] = ()) -> pl.DataFrame:
    """Lay the categories of groups, and of models, out for a decision.

    A model's category is that of the mean over its groups, with the least confidence of them;
    it is disputed when one of them is.

    Args:
        category_results: CATEGORY_RESULTS.
        required: Categories that a policy wants to pass.

    Returns:
        JUDGED_CATEGORIES: a row per group and dimension, and per model (task_id null) and dimension.
    """
    values = ["score", "int_score", "confidence", "is_disputed"]
    of_groups = category_results.select(*GROUP_KEY, "dimension", *values)
    of_models = _of_models(category_results).select(of_groups.columns)
    rows = pl.concat([of_models, of_groups]).join(_about(required), on="dimension", maintain_order="left")
    rows = rows.rename({"dimension": "category_id"}).select(JUDGED_CATEGORIES.columns)
    return check(
        rows.sort(JUDGED_CATEGORIES.key, nulls_last=False), JUDGED_CATEGORIES, where="weigh_categories"
    )


def _of_models(category_results: pl.DataFrame) -> pl.DataFrame:
    unit = pl.col("unit_score").drop_nulls().sort()
    return (
        category_results.group_by("model_id", "dimension")
        .agg(
            mean=unit.cum_sum().last() / unit.len(),
            confidence=pl.col("confidence").min(),
            is_disputed=pl.col("is_disputed").any(),
        )
        .with_columns(mean=pl.when(~pl.col("is_disputed")).then("mean"))
        .with_columns(
            task_id=pl.lit(None, pl.String),
            score=category_of_unit(pl.col("mean")),
            int_score=int_of_unit(pl.col("mean")),
        )
    )


def _about(required: tuple[str, ...]) -> pl.DataFrame:
    """What is the same for every subject: title, place and weight of each dimension, and who must pass."""
    return pl.DataFrame(
        {
            "dimension": DIMENSIONS,
            "title": [TITLES[key] for key in DIMENSIONS],
            "ordinal": range(len(DIMENSIONS)),
            "weight": [float(WEIGHTS[key]) for key in DIMENSIONS],
            "is_required": [key in required for key in DIMENSIONS],
        },
        schema_overrides={"ordinal": pl.Int64},
    )


def _long(task_scores: pl.DataFrame) -> pl.DataFrame:
    key = [*GROUP_KEY, "n_runs"]
    units = task_scores.unpivot(
        list(DIMENSIONS), index=key, variable_name="dimension", value_name="unit_score"
    )
    counts = task_scores.unpivot(
        [f"n_scored_{name}" for name in DIMENSIONS],
        index=list(GROUP_KEY),
        variable_name="dimension",
        value_name="n_scored",
    ).with_columns(pl.col("dimension").str.strip_prefix("n_scored_"))
    return units.join(counts, on=_KEY, validate="1:1", maintain_order="left")


def _rejudged(judged_runs: pl.DataFrame, combined: pl.DataFrame, *, is_mean: bool) -> pl.DataFrame:
    """The groups whose judged score is replaced: rejudged, is_replaced, is_disputed."""
    is_closed = pl.col("flags").list.eval(pl.element().is_in(_CLOSED)).list.any()
    applies = pl.col("is_human") if is_mean else pl.lit(value=True)
    is_replaced = applies & pl.col("is_human").is_not_null() & ~is_closed & pl.col("score").is_not_null()
    runs = judged_runs.join(
        combined, on=[*RUN_KEY, "dimension"], how="left", maintain_order="left"
    ).with_columns(is_replaced=is_replaced.fill_null(value=False))
    unit = pl.when("is_replaced").then("unit_score").otherwise("score")
    kept = pl.col("unit").drop_nulls().sort()
    return (
        runs.with_columns(unit=unit)
        .group_by(_KEY)
        .agg(
            rejudged=kept.cum_sum().last() / kept.len(),
            is_replaced=pl.col("is_replaced").any(),
            is_disputed=(pl.col("is_replaced") & pl.col("is_disputed")).any(),
        )
    )


def _reasoning(is_judged: pl.Expr) -> pl.Expr:
    shown = pl.col("unit_score").round(3)
    verdicts = pl.format("{} verdicts of {} judges; their score is {}.", "n_verdicts", "n_judges", shown)
    runs = pl.format("{} of {} runs scored; their mean is {}.", "n_scored", "n_runs", shown)
    stable = pl.format("Findings, their order and numbers over {} runs: {}.", "n_runs", shown)
    return (
        pl.when("is_disputed")
        .then(pl.lit("The judges do not agree."))
        .when(pl.col("unit_score").is_null())
        .then(pl.lit("Not measured."))
        .when(is_judged)
        .then(pl.coalesce("reasoning", verdicts, runs))
        .when(pl.col("dimension") == CONSISTENCY)
        .then(stable)
        .otherwise(runs)
    )
