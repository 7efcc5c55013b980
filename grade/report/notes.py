"""Stage notes: the checks that a reader of a scorecard wants to see, each distinct one once."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from grade.schemas import GROUP_KEY


class Notes(NamedTuple):
    """What a scorecard lists beside its scores.

    Attributes:
        missed: A gold fact that some run of a group misses: model_id, task_id, fact_id,
            gold_value, tolerance, n_missed, n_runs.
        claims: A sentence that makes a forbidden claim, or may make a claim but settles nothing:
            model_id, task_id, claim_id, kind, made, status, reason, field, evidence, n_runs (how
            many runs hold it).
    """

    missed: pl.DataFrame
    claims: pl.DataFrame


def collect_notes(fact_checks: pl.DataFrame, claim_checks: pl.DataFrame) -> Notes:
    """Pick the missed facts, the forbidden claims made and the inconclusive checks of whole groups.

    Args:
        fact_checks: FACT_CHECKS of whole groups.
        claim_checks: CLAIM_CHECKS of the same groups.
    """
    return Notes(_missed(fact_checks), _claims(claim_checks))


def _missed(fact_checks: pl.DataFrame) -> pl.DataFrame:
    key = (*GROUP_KEY, "fact_id")
    return (
        fact_checks.group_by(key)
        .agg(
            pl.col("gold_value", "tolerance").first(),
            n_missed=(~pl.col("matched")).sum().cast(pl.Int64),
            n_runs=pl.len().cast(pl.Int64),
        )
        .filter(pl.col("n_missed") > 0)
        .sort(key)
    )


def _claims(claim_checks: pl.DataFrame) -> pl.DataFrame:
    made = (pl.col("kind") == "forbidden") & pl.col("made")
    open_ = pl.col("status") == "inconclusive"
    key = [*GROUP_KEY, "claim_id", "kind", "made", "status", "reason", "field", "evidence"]
    return claim_checks.filter(made | open_).group_by(key).agg(n_runs=pl.len().cast(pl.Int64)).sort(key)
