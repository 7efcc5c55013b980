"""Stage questions: which questions there are about runs, which are open, and how they are asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from grade.db import Database, opened
from grade.judging.tables import QUESTION_KEY, QUESTIONS
from grade.judging.templates import Template, fill
from grade.schemas import RUN_KEY, check

QUESTION_COLUMNS: Final = (*QUESTION_KEY, "kind", "template", "question_key")
"""The columns of a question before it is written out."""

_BYTES_PER_TOKEN: Final = 4
_FENCE_DIGITS: Final = 16


def list_questions(
    answers: pl.DataFrame, items: pl.DataFrame, *, database: Database | None = None
) -> pl.DataFrame:
    """List every question that may be asked about runs.

    Args:
        answers: From `grade.judging.answers.write_answers`; runs without content left out.
        items: JUDGE_ITEMS.
        database: An open database to use.

    Returns:
        `QUESTION_COLUMNS`, sorted by key: one row per run and item of its task.
    """
    tables = {"answers": answers.select(*RUN_KEY, "answer_text"), "judge_items": items}
    with opened(database) as db:
        return db.query("judging/question_keys", tables)


def keep_open(questions: pl.DataFrame, claim_checks: pl.DataFrame, fact_checks: pl.DataFrame) -> pl.DataFrame:
    """Keep the questions that matching leaves open, whether a verdict answers them or not.

    A dimension is always open; a claim when no conclusive match settled it; a fact when the
    answer was not found to state it.

    Args:
        questions: From `list_questions`.
        claim_checks: CLAIM_CHECKS of the same runs.
        fact_checks: FACT_CHECKS of the same runs.
    """
    by_matching = pl.col("status").is_in(["contained", "overlap"])
    claims = claim_checks.filter(~by_matching).select(*RUN_KEY, "claim_id")
    missed = fact_checks.filter(~pl.col("matched") | (pl.col("source") == "judge"))
    facts = missed.select(*RUN_KEY, claim_id=pl.concat_str(pl.lit("fact:"), "fact_id"))
    open_claims = pl.concat([claims, facts]).with_columns(is_open=pl.lit(value=True))
    marked = questions.join(
        open_claims, on=[*RUN_KEY, "claim_id"], how="left", validate="m:1", maintain_order="left"
    )
    is_dimension = pl.col("claim_id").is_null()
    return marked.filter(is_dimension | pl.col("is_open")).drop("is_open")


def drop_answered(questions: pl.DataFrame, answered: pl.DataFrame) -> pl.DataFrame:
    """Drop the questions that a verdict answers.

    Args:
        questions: With the columns QUESTION_KEY.
        answered: VERDICTS, or its columns QUESTION_KEY.
    """
    return questions.join(
        answered.select(QUESTION_KEY).unique(),
        on=QUESTION_KEY,
        how="anti",
        nulls_equal=True,
        maintain_order="left",
    )


def write_questions(
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    items: pl.DataFrame,
    templates: Iterable[Template],
    *,
    n_repeats: int = 1,
) -> pl.DataFrame:
    """Write the prompts of questions.

    Args:
        questions: `QUESTION_COLUMNS`.
        answers: From `grade.judging.answers.write_answers`, of the same runs.
        items: JUDGE_ITEMS.
        templates: Every template that the questions name.
        n_repeats: How often each question is put.

    Returns:
        QUESTIONS.
    """
    told = (
        questions.join(answers, on=RUN_KEY, how="left", validate="m:1", maintain_order="left")
        .join(
            items.select("task_id", "dimension", "claim_id", "task_text", "subject"),
            on=["task_id", "dimension", "claim_id"],
            how="left",
            validate="m:1",
            nulls_equal=True,
            maintain_order="left",
        )
        .with_columns(fence=pl.concat_str(pl.lit("answer-"), pl.col("question_key").str.head(_FENCE_DIGITS)))
    )
    parts = [told.clear().with_columns(system_prompt=pl.lit(""), prompt=pl.lit(""))]
    for template in templates:
        own = told.filter(pl.col("template") == template.name)
        parts.append(own.with_columns(system_prompt=pl.lit(template.system), prompt=fill(template)))
    n_bytes = pl.col("system_prompt").str.len_bytes() + pl.col("prompt").str.len_bytes()
    written = (
        pl.concat(parts)
        .with_columns(
            estimated_tokens=(n_bytes / _BYTES_PER_TOKEN).ceil().cast(pl.Int64),
            repeat=pl.int_ranges(0, pl.lit(n_repeats), dtype=pl.Int64),
        )
        .explode("repeat")
    )
    ordered = written.select(QUESTIONS.columns).sort(QUESTIONS.key, nulls_last=False)
    return check(ordered, QUESTIONS, where="write_questions")
