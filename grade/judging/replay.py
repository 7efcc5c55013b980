"""Stage replay: stored judgements as verdicts on the runs that they are about, found by content."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.columns import FINDINGS
from grade.judging.records import QUOTE_NOT_FOUND, SAME_FAMILY
from grade.judging.tables import JUDGEMENTS, QUESTION_KEY
from grade.schemas import VERDICTS

REPLAYED_COLUMNS: Final = (
    *QUESTION_KEY,
    "judge_id",
    "score",
    "int_score",
    "numeric_score",
    "confidence",
    "reasoning",
    "findings",
)
"""The columns of a replayed verdict: those of the verdict input, in the order of VERDICTS."""

_FINDINGS: Final = (
    (SAME_FAMILY, "info", "The judge is of the answering model's own family"),
    (QUOTE_NOT_FOUND, "low", "The judge quotes what the answer does not say"),
)


class Replayed(NamedTuple):
    """What a store says about runs.

    Attributes:
        verdicts: `REPLAYED_COLUMNS`, sorted; one row per run, question and judge.
        unscored: QUESTION_KEY and judge_id of the questions whose replies could not be read:
            such a judge was asked and has no verdict.
        used: The judgements of both, one row per question of a run: JUDGEMENTS with the run's key,
            without raw_replies.
    """

    verdicts: pl.DataFrame
    unscored: pl.DataFrame
    used: pl.DataFrame


def replay(questions: pl.DataFrame, judgements: pl.DataFrame) -> Replayed:
    """Find the stored judgements that answer questions about these runs.

    Args:
        questions: From `grade.judging.questions.list_questions`.
        judgements: JUDGEMENTS; raw_replies is not read.
    """
    columns = [name for name in JUDGEMENTS.columns if name != "raw_replies"]
    stored = judgements.drop(*QUESTION_KEY, "kind", "template")
    used = questions.join(stored, on="question_key", how="inner", maintain_order="left").select(columns)
    # A judge whose default parameters changed between versions may answer twice under one name.
    used = used.sort(*QUESTION_KEY, "judge_id", "verdict_key").unique(
        (*QUESTION_KEY, "judge_id"), keep="first", maintain_order=True
    )
    is_scored = pl.col("reply_state") != "unscored"
    return Replayed(
        used.filter(is_scored).select(_verdict_columns()),
        used.filter(~is_scored).select(*QUESTION_KEY, "judge_id"),
        used,
    )


def _verdict_columns() -> list[pl.Expr]:
    made = {
        "numeric_score": pl.lit(None, pl.Float64),
        "reasoning": _reasoning(),
        "findings": _findings(),
    }
    return [made.get(name, pl.col(name)).cast(VERDICTS.dtypes[name]).alias(name) for name in REPLAYED_COLUMNS]


def _reasoning() -> pl.Expr:
    """The reasons with the quotes behind them, as a reader of reports sees them."""
    quoted = pl.col("quotes").list.eval(pl.format("“{}”", pl.element())).list.join(" ")
    evidence = pl.when(pl.col("quotes").list.len() > 0).then(pl.format("Evidence: {}", quoted))
    parts = pl.concat_str(pl.col("reasoning"), evidence, separator=" ", ignore_nulls=True)
    return parts.str.strip_chars().replace("", None)


def _findings() -> pl.Expr:
    """A finding for each flag that a reader of the verdict must know; null without any."""
    told = [
        pl.when(pl.col("flags").list.contains(code)).then(
            pl.struct(
                severity=pl.lit(severity),
                title=pl.lit(title),
                description=_description(code),
                code=pl.lit(f"judge_{code}"),
            )
        )
        for code, severity, title in _FINDINGS
    ]
    found = pl.concat_list(told).list.drop_nulls().cast(FINDINGS)
    return pl.when(found.list.len() > 0).then(found)


def _description(code: str) -> pl.Expr:
    if code == QUOTE_NOT_FOUND:
        return pl.col("missing_quotes").list.join(" | ")
    return pl.lit(None, pl.String)
