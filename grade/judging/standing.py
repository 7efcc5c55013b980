"""Stage standing: how a store stands to a result: answered, missing, stale, orphaned."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.judging.questions import drop_answered
from grade.judging.tables import JUDGE_STANDING, QUESTION_KEY
from grade.schemas import RUN_KEY, check

_ALL_COUNTS: Final = JUDGE_STANDING.values


def tell_standing(
    questions: pl.DataFrame, needed: pl.DataFrame, judgements: pl.DataFrame, verdicts: pl.DataFrame
) -> pl.DataFrame:
    """Count, for each judge and for all together, what the store holds on a result.

    Answered, unscored and missing count questions of the result; stale and orphaned count
    stored judgements. A judgement is stale when the result has its run and check, but what the
    judge would be shown has changed; it is orphaned when the result has no such run or check.

    Args:
        questions: Every question about the result's runs, from `list_questions`.
        needed: Those that matching leaves open, from `keep_open`.
        judgements: JUDGEMENTS.
        verdicts: VERDICTS of the result: for all judges together, nothing is missing that these
            answer, wherever they come from.

    Returns:
        JUDGE_STANDING, the row of all judges first.
    """
    judged = judgements.select("judge_id", "question_key", "reply_state", *QUESTION_KEY)
    judges = judged.select("judge_id").unique()
    everyone = judged.with_columns(judge_id=pl.lit(None, pl.String))
    rows = pl.concat([everyone, judged])
    names = pl.concat([pl.DataFrame({"judge_id": [None]}, schema={"judge_id": pl.String}), judges])
    scored = rows.filter(pl.col("reply_state") != "unscored").select("judge_id", "question_key").unique()
    failed = rows.filter(pl.col("reply_state") == "unscored").select("judge_id", "question_key").unique()
    failed = failed.join(scored, on=["judge_id", "question_key"], how="anti", nulls_equal=True)
    told = names
    for name, counted in (
        ("n_answered", _met(questions, scored)),
        ("n_unscored", _met(questions, failed)),
        ("n_met", _met(needed, scored)),
        *_left_over(questions, rows),
    ):
        told = told.join(counted.rename({"n": name}), on="judge_id", how="left", nulls_equal=True)
    nobody = drop_answered(needed, verdicts).join(
        scored.select("question_key"), on="question_key", how="anti"
    )
    missing = (
        pl.when(pl.col("judge_id").is_null())
        .then(pl.lit(nobody.height, pl.Int64))
        .otherwise(pl.lit(needed.height, pl.Int64) - pl.col("n_met"))
    )
    filled = told.with_columns(pl.exclude("judge_id").fill_null(0).cast(pl.Int64))
    table = filled.with_columns(n_missing=missing).select(JUDGE_STANDING.columns)
    return check(table.sort("judge_id", nulls_last=False), JUDGE_STANDING, where="tell_standing")


def _met(questions: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """How many of the questions each judge has among its answers."""
    met = questions.select("question_key").join(answers, on="question_key", how="inner")
    return met.group_by("judge_id").agg(n=pl.len())


def _left_over(questions: pl.DataFrame, rows: pl.DataFrame) -> tuple[tuple[str, pl.DataFrame], ...]:
    left = rows.join(questions.select("question_key").unique(), on="question_key", how="anti")
    present = questions.select(*RUN_KEY, "dimension", "claim_id")
    stale = left.join(present, on=QUESTION_KEY, how="semi", nulls_equal=True)
    orphaned = left.join(present, on=QUESTION_KEY, how="anti", nulls_equal=True)
    return (
        ("n_stale", stale.group_by("judge_id").agg(n=pl.len())),
        ("n_orphaned", orphaned.group_by("judge_id").agg(n=pl.len())),
    )
