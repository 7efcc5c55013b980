"""Stage assemble: the checks and verdicts of a batch become one score per run and dimension."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.dimensions import CALIBRATION, CONSISTENCY, DIMENSIONS, EVIDENCE, GROUNDING, INSIGHT, JUDGED
from grade.schemas import GROUP_KEY, RUN_KEY, RUN_SCORES, check

_GATED_TRACK: Final = 3


def mark_empty(runs: pl.DataFrame, spans: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """Add `is_empty`: no token in findings, limitations and raw text, and no metric.

    Args:
        runs: run_id and any other columns.
        spans: SPANS.
        leaves: METRICS.
    """
    spoken = pl.concat([spans.filter(pl.col("field_no") <= 2).select("run_id"), leaves.select("run_id")])  # noqa: PLR2004
    return runs.with_columns(is_empty=~pl.col("run_id").is_in(spoken["run_id"].unique().implode()))


def close_gate(
    runs: pl.DataFrame, spans: pl.DataFrame, entities: pl.DataFrame, quantities: pl.DataFrame
) -> pl.DataFrame:
    """Add `is_gated`: a track 3 answer that names no identifier, or no numeric rate.

    A rate is a quantity flagged percent or a number strictly between 0 and 1. Findings,
    limitations, citations and raw text count.

    Args:
        runs: run_id and track, one row per run.
        spans: SPANS, citations of track 3 runs included.
        entities: sentence_id and kind of every entity.
        quantities: sentence_id, value and is_percent of every quantity.
    """
    identifying = entities.filter(pl.col("kind") != "month")["sentence_id"].unique()
    rate = pl.col("is_percent") | ((pl.col("value") > 0) & (pl.col("value") < 1))
    rating = quantities.filter(rate)["sentence_id"].unique()
    has = {
        name: spans.filter(pl.col("sentence_id").is_in(ids.implode()))["run_id"].unique()
        for name, ids in (("id", identifying), ("rate", rating))
    }
    is_open = pl.col("run_id").is_in(has["id"].implode()) & pl.col("run_id").is_in(has["rate"].implode())
    return runs.with_columns(is_gated=(pl.col("track") == _GATED_TRACK) & ~is_open)


def assemble(
    runs: pl.DataFrame,
    fact_checks: pl.DataFrame,
    claim_checks: pl.DataFrame,
    claims: pl.DataFrame,
    verdict_scores: pl.DataFrame,
    nonfinite: pl.DataFrame,
) -> pl.DataFrame:
    """Score the dimensions of each run.

    Grounding is the mean over the task's facts, insight quality over its insights. Calibration
    is the mean of the parts that the task has: limitations made, forbidden claims not made,
    insights made (only those marked, where any is). What the task does not measure, and what
    nobody judged, is null. An empty run scores 0 wherever something is measured.

    Args:
        runs: The run key, run_id, is_empty and is_gated.
        fact_checks: FACT_CHECKS.
        claim_checks: CLAIM_CHECKS.
        claims: task_id, claim_id and is_calibration of the catalogue's claims.
        verdict_scores: One row per judged run and dimension: the run key, dimension, unit_score.
        nonfinite: run_id of the runs whose metrics lost a NaN or an infinity.

    Returns:
        RUN_SCORES: six rows per run. Consistency belongs to the group and is null here.
    """
    base = runs.select(*RUN_KEY, "run_id", "is_empty", "is_gated").with_columns(
        is_nonfinite=pl.col("run_id").is_in(nonfinite["run_id"].unique().implode())
    )
    wide = base
    for measured in (_grounding(fact_checks), _claimed(claim_checks, claims), _judged(verdict_scores)):
        wide = wide.join(measured, on=list(RUN_KEY), how="left", maintain_order="left")
    wide = wide.with_columns(
        pl.when("is_empty").then(pl.col(key) * 0.0).otherwise(pl.col(key)).alias(key)
        for key in (GROUNDING, INSIGHT, CALIBRATION)
    )
    wide = wide.with_columns(_judged_score(key).alias(key) for key in JUDGED).with_columns(
        pl.lit(None, pl.Float64).alias(CONSISTENCY)
    )
    parts = [
        wide.select(
            *RUN_KEY,
            dimension=pl.lit(key),
            score=key,
            source=pl.lit("judge" if key in JUDGED else "rule"),
            flags=_flags(key),
        )
        for key in DIMENSIONS
    ]
    return check(pl.concat(parts).sort(RUN_SCORES.key), RUN_SCORES, where="assemble")


def _grounding(fact_checks: pl.DataFrame) -> pl.DataFrame:
    return fact_checks.group_by(RUN_KEY).agg((pl.col("matched").sum() / pl.len()).alias(GROUNDING))


def _claimed(claim_checks: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Insight quality and calibration, and whether each rests on a check that nothing settled."""
    marked = claims.group_by("task_id").agg(has_marked=pl.col("is_calibration").any())
    checks = claim_checks.join(
        claims.select("task_id", "claim_id", "is_calibration"), on=["task_id", "claim_id"]
    ).join(marked, on="task_id")
    insight = pl.col("kind") == "insight"
    counted = insight & (pl.col("is_calibration") | ~pl.col("has_marked"))
    unsettled = pl.col("status").is_in(["inconclusive", "none"]) & (
        pl.col("reason").fill_null("") != "empty_response"
    )
    parts = {
        "limitations": pl.col("kind") == "limitation",
        "forbidden": pl.col("kind") == "forbidden",
        "insights": counted,
    }
    passed = pl.col("score") == 1
    means = checks.group_by(RUN_KEY).agg(
        _mean(passed, insight).alias(INSIGHT),
        *(_mean(passed, kept).alias(name) for name, kept in parts.items()),
        (unsettled & insight).any().alias(f"is_open_{INSIGHT}"),
        (unsettled & (~insight | counted)).any().alias(f"is_open_{CALIBRATION}"),
    )
    # The mean of at most three parts: adding them left to right is the same in every run.
    return means.with_columns(pl.mean_horizontal(*parts).alias(CALIBRATION)).select(
        *RUN_KEY, INSIGHT, CALIBRATION, f"is_open_{INSIGHT}", f"is_open_{CALIBRATION}"
    )


def _mean(passed: pl.Expr, kept: pl.Expr) -> pl.Expr:
    """Passed over kept rows; null where none is kept."""
    size = kept.sum()
    return pl.when(size > 0).then((passed & kept).sum() / size)


def _judged(verdict_scores: pl.DataFrame) -> pl.DataFrame:
    """One column per judged dimension, and one that tells whether the group has any verdict on it."""
    wide = verdict_scores.filter(pl.col("dimension").is_in(list(JUDGED)))
    return wide.group_by(RUN_KEY).agg(
        pl.col("unit_score").filter(pl.col("dimension") == key).first().alias(key) for key in JUDGED
    )


def _judged_score(key: str) -> pl.Expr:
    """The verdict, closed by the gate; 0 for an empty run where its group was judged at all."""
    was_judged = pl.col(key).is_not_null()
    zero = was_judged.any().over(GROUP_KEY) & pl.col("is_empty")
    if key == EVIDENCE:
        zero = zero | (was_judged & pl.col("is_gated"))
    return pl.when(zero).then(0.0).when(~pl.col("is_empty")).then(pl.col(key))


def _flags(key: str) -> pl.Expr:
    flags = {"empty_response": pl.col("is_empty")}
    if key == EVIDENCE:
        flags["evidence_gate"] = pl.col("is_gated")
    if key == GROUNDING:
        flags["nonfinite_metric"] = pl.col("is_nonfinite")
    if key in {INSIGHT, CALIBRATION}:
        flags["unjudged_claims"] = pl.col(f"is_open_{key}").fill_null(value=False)
    return pl.concat_list(pl.when(held).then(pl.lit(name)) for name, held in flags.items()).list.drop_nulls()
