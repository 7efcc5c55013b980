"""Stage verdicts: accepted verdicts -> judged dimensions of runs, and judged claims.

The mean over judges does not depend on the order of the rows: values are sorted before they are
added.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.schemas import RUN_KEY

HUMAN: Final = "human:"
"""What the id of a judge who is a person begins with."""

_MADE_ABOVE: Final = 0.5 + 1e-9  # a half itself, however it was added up, is not enough


def score_verdicts(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Average the verdicts on dimensions over their judges.

    Args:
        verdicts: VERDICTS.

    Returns:
        One row per run and judged dimension, sorted: model_id, task_id, run_index, dimension,
        unit_score (mean over judges), n_judges, confidence (the least; null when no judge gave any).
    """
    return (
        verdicts.filter(pl.col("dimension").is_not_null())
        .group_by(*RUN_KEY, "dimension")
        .agg(
            _mean_unit().alias("unit_score"),
            pl.len().cast(pl.Int64).alias("n_judges"),
            pl.col("confidence").min(),
        )
        .sort(*RUN_KEY, "dimension")
    )


def claim_verdicts(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Settle what judges say about claims; where persons judged a claim, only they count.

    Args:
        verdicts: VERDICTS.

    Returns:
        One row per run and judged claim, sorted: model_id, task_id, run_index, claim_id, made (the
        mean unit value is above 0.5), is_human, n_judges (of those that count).
    """
    human = pl.col("judge_id").str.starts_with(HUMAN)
    return (
        verdicts.filter(pl.col("claim_id").is_not_null())
        .with_columns(is_human=human.any().over(*RUN_KEY, "claim_id"))
        .filter(human | ~pl.col("is_human"))
        .group_by(*RUN_KEY, "claim_id")
        .agg(
            (_mean_unit() > _MADE_ABOVE).alias("made"),
            pl.col("is_human").first(),
            pl.len().cast(pl.Int64).alias("n_judges"),
        )
        .sort(*RUN_KEY, "claim_id")
    )


def _mean_unit() -> pl.Expr:
    return pl.col("unit_score").sort().cum_sum().last() / pl.len()
