"""Stage validate: records with their places -> accepted rows under their key, and refused ones.

A record's equal copies are one row and counted; copies that differ are all refused, since nothing
tells which is right.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.dimensions import DIMENSIONS
from grade.expressions.verdicts import forms_disagree, has_score, unit_score
from grade.look_alikes import unknown_task
from grade.rules import Rule, sort_out
from grade.schemas import RUN_KEY, RUNS, VERDICTS

_JUDGED: Final = (*RUN_KEY, "dimension", "claim_id", "judge_id")


class Validated(NamedTuple):
    """Rows sorted into accepted and refused.

    Attributes:
        accepted: The table, sorted by its key.
        rejects: REJECTS; the refused records with their reasons.
        n_duplicates: Records left out because an equal copy is accepted.
    """

    accepted: pl.DataFrame
    rejects: pl.DataFrame
    n_duplicates: int


def validate_runs(runs: pl.DataFrame, *, tasks: pl.DataFrame) -> Validated:
    """Accept runs of known tasks, one under each key, and tell their pack and track.

    Args:
        runs: The columns of RUNS that a record has (all but pack_id and track), and file, line,
            byte_offset and raw.
        tasks: TASKS, or its columns task_id, pack_id and track.

    Returns:
        RUNS, the refused records (unknown_task, duplicate_conflict) and the number of copies.
    """
    known = tasks.select("task_id", "pack_id", "track")
    placed = runs.join(known, on="task_id", how="left", validate="m:1", maintain_order="left")
    rules = (
        Rule(
            "unknown_task",
            pl.col("pack_id").is_null(),
            unknown_task(tasks),
        ),
        _conflict(RUN_KEY, "this run"),
    )
    kept, rejects = sort_out(placed, rules)
    accepted = _first_of_copies(kept, RUN_KEY, pl.col("input_flags").list.join(" "))
    return Validated(accepted.select(RUNS.columns), rejects, kept.height - accepted.height)


def validate_verdicts(verdicts: pl.DataFrame, *, runs: pl.DataFrame, claims: pl.DataFrame) -> Validated:
    """Accept verdicts on what exists, whose score is given and agrees with itself.

    Args:
        verdicts: The columns of VERDICTS without unit_score, and content_hash, byte_offset and raw.
        runs: The accepted runs, by the columns of their key.
        claims: task_id and claim_id of everything that may be judged, `fact:FACT_ID` included.

    Returns:
        VERDICTS, the refused records and the number of copies.
    """
    exists = pl.lit(value=True).alias("run_exists")
    is_claim = pl.lit(value=True).alias("claim_exists")
    placed = verdicts.join(
        runs.select(*RUN_KEY, exists), on=RUN_KEY, how="left", validate="m:1", maintain_order="left"
    ).join(
        claims.select("task_id", "claim_id", is_claim).unique(),
        on=["task_id", "claim_id"],
        how="left",
        validate="m:1",
        maintain_order="left",
    )
    kept, rejects = sort_out(placed, (*_target_rules(), *_score_rules(), _conflict(_JUDGED, "this verdict")))
    accepted = _first_of_copies(kept, _JUDGED, pl.col("file"), pl.col("line")).with_columns(
        unit_score=unit_score()
    )
    return Validated(accepted.select(VERDICTS.columns), rejects, kept.height - accepted.height)


def _target_rules() -> tuple[Rule, ...]:
    """What a verdict judges must be said once, and exist."""
    dimension, claim = pl.col("dimension"), pl.col("claim_id")
    return (
        Rule(
            "dimension_or_claim",
            dimension.is_null() == claim.is_null(),
            pl.when(dimension.is_null())
            .then(pl.lit("neither dimension nor claim_id is given"))
            .otherwise(pl.lit("both dimension and claim_id are given")),
        ),
        Rule(
            "unknown_run",
            pl.col("run_exists").is_null(),
            pl.format("no accepted run {} of '{}' on '{}'", "run_index", "model_id", "task_id"),
        ),
        Rule(
            "unknown_dimension",
            dimension.is_not_null() & ~dimension.is_in(DIMENSIONS),
            pl.format("'{}' is none of {}", dimension, pl.lit(", ".join(DIMENSIONS))),
        ),
        Rule(
            "unknown_claim",
            claim.is_not_null() & pl.col("claim_exists").is_null(),
            pl.format("task '{}' has no claim '{}'", "task_id", claim),
        ),
    )


def _score_rules() -> tuple[Rule, ...]:
    """A verdict must say how good, and say the same in every form."""
    forms = [pl.col(name).cast(pl.String).fill_null("-") for name in ("score", "int_score", "numeric_score")]
    return (
        Rule("no_score", ~has_score(), pl.lit("none of score, int_score and numeric_score is given")),
        Rule(
            "contradictory_verdict",
            forms_disagree(),
            pl.format("score {}, int_score {} and numeric_score {} do not agree", *forms),
        ),
    )


def _conflict(key: tuple[str, ...], what: str) -> Rule:
    copies = pl.len().over(key)
    return Rule(
        "duplicate_conflict",
        pl.col("content_hash").n_unique().over(key) > 1,
        pl.format("{} copies of {} do not all agree", copies, pl.lit(what)),
    )


def _first_of_copies(rows: pl.DataFrame, key: tuple[str, ...], *order: pl.Expr) -> pl.DataFrame:
    """Return one row for each key, sorted by it; which of equal copies does not depend on their order."""
    return rows.sort(*(pl.col(name) for name in key), *order, maintain_order=True).unique(
        key, keep="first", maintain_order=True
    )
