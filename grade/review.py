"""Stage review: what a person should look at, the most valuable first.

The value of an item is the points of the composite (of 100) that the person's verdict may move in
its group, times the doubt about what stands now; 25 times as much where a blocking finding hangs on
it, and twice as much where the group waits for a person anyway.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.dimensions import CALIBRATION, INSIGHT, JUDGED, TITLES, WEIGHTS
from grade.expressions.verdicts import category_of_unit
from grade.schemas import GROUP_KEY, REVIEW_QUEUE, RUN_KEY, check

DOUBTS: Final[dict[str, float]] = {
    "blocking_claim": 0.2,
    "inconclusive_match": 0.5,
    "unjudged_claim": 0.5,
    "unjudged_forbidden": 0.02,
    "not_judged": 0.5,
}
"""Doubt about what stands, by reason; judges_disagree has their spread, low_confidence 1 - confidence."""

WORDS: Final[dict[str, str]] = {
    "blocking_claim": "A blocking finding rests on this claim.",
    "inconclusive_match": "A sentence may state this; matching could not tell.",
    "unjudged_claim": "Nobody judged this, so it counts as not made.",
    "unjudged_forbidden": "Nobody judged this, so it counts as not made.",
    "judges_disagree": "The judges put this in different categories.",
    "low_confidence": "The judge was not sure.",
    "not_judged": "Nobody judged this, so it has no score.",
}
"""Each reason in words."""

_CLAIM: Final = [*RUN_KEY, "claim_id"]
_ITEM: Final = [*RUN_KEY, "dimension"]
_HUMAN: Final = "human:"
_BLOCKING_FACTOR: Final = 25.0
_WAITING_FACTOR: Final = 2.0
_LONGEST: Final = 4_000


def build_queue(
    *,
    claim_checks: pl.DataFrame,
    judged_runs: pl.DataFrame,
    verdicts: pl.DataFrame,
    decisions: pl.DataFrame,
    confidence_threshold: float,
    limit: int,
) -> pl.DataFrame:
    """Choose the items; `describe_queue` adds the words.

    Args:
        claim_checks: CLAIM_CHECKS, at least its key, kind, made, status and reason.
        judged_runs: `grade.categories.JUDGED_RUN_COLUMNS` of the judged dimensions.
        verdicts: VERDICTS; what a person has judged is left out.
        decisions: DECISIONS.
        confidence_threshold: A confidence below this is low, strictly.
        limit: Most items.

    Returns:
        The run key, dimension or claim_id, why, review_value and stands, the most valuable first.
    """
    opinions = _opinions(verdicts)
    groups = judged_runs.group_by(GROUP_KEY).agg(n_runs=pl.col("run_index").n_unique())
    waiting = decisions.drop_nulls("task_id").select(
        *GROUP_KEY, is_waiting=pl.col("status") == "human_review"
    )
    items = pl.concat(
        [
            _claims(claim_checks, opinions, confidence_threshold),
            _dimensions(judged_runs, opinions, confidence_threshold),
        ]
    )
    factor = pl.when(pl.col("why") == "blocking_claim").then(_BLOCKING_FACTOR).otherwise(1.0) * (
        pl.when("is_waiting").then(_WAITING_FACTOR).otherwise(1.0)
    )
    return (
        items.join(groups, on=list(GROUP_KEY), maintain_order="left")
        .join(waiting, on=list(GROUP_KEY), how="left", maintain_order="left")
        .with_columns(review_value=(pl.col("points") / pl.col("n_runs") * pl.col("doubt") * factor).round(4))
        .sort(-pl.col("review_value"), *RUN_KEY, "dimension", "claim_id", nulls_last=True)
        .head(limit)
        .select(*RUN_KEY, "dimension", "claim_id", "why", "review_value", "stands")
    )


def describe_queue(
    queue: pl.DataFrame,
    *,
    claim_checks: pl.DataFrame,
    runs: pl.DataFrame,
    gold_claims: pl.DataFrame,
    tasks: pl.DataFrame,
) -> pl.DataFrame:
    """Add the question and the evidence to each item.

    Args:
        queue: From `build_queue`.
        claim_checks: CLAIM_CHECKS of the queue's runs, at least its key and evidence.
        runs: RUNS of the queue's runs, at least its key and texts.
        gold_claims: GOLD_CLAIMS.
        tasks: TASKS.

    Returns:
        REVIEW_QUEUE; score, reasoning and judge_id are for the person to fill in.
    """
    guidance = tasks.select("task_id", *(pl.col(f"guidance_{key}").alias(key) for key in JUDGED)).unpivot(
        index="task_id", variable_name="dimension", value_name="guidance"
    )
    told = (
        queue.with_row_index("rank", offset=1)
        .join(claim_checks.select(*_CLAIM, "evidence"), on=_CLAIM, how="left", maintain_order="left")
        .join(_answers(runs), on=list(RUN_KEY), how="left", maintain_order="left")
        .join(gold_claims.select("task_id", "claim_id", "claim_text"), on=["task_id", "claim_id"], how="left")
        .join(guidance, on=["task_id", "dimension"], how="left", maintain_order="left")
        .sort("rank")
    )
    nothing = pl.lit(None, pl.String)
    table = told.with_columns(
        pl.col("rank").cast(pl.Int64),
        question=_question(),
        evidence=pl.coalesce("evidence", "answer").str.slice(0, _LONGEST),
        score=nothing,
        reasoning=nothing,
        judge_id=nothing,
    )
    return check(table.select(REVIEW_QUEUE.columns), REVIEW_QUEUE, where="describe_queue")


def _question() -> pl.Expr:
    title = pl.col("dimension").replace_strict(TITLES, default=None, return_dtype=pl.String)
    claim, guidance = pl.col("claim_text").fill_null(""), pl.col("guidance").fill_null("")
    asked = pl.when(pl.col("claim_id").is_not_null()).then(
        pl.format("Does the answer state this? pass = yes, fail = no. {}", claim)
    )
    rated = pl.format("How does the answer do? pass, partial or fail. {}: {}", title, guidance)
    return pl.coalesce(asked, rated).str.strip_chars(" :")


def _opinions(verdicts: pl.DataFrame) -> pl.DataFrame:
    """What judges say about each item, and whether a person is among them."""
    category = category_of_unit(pl.col("unit_score"))
    return (
        verdicts.sort("judge_id")
        .group_by(*RUN_KEY, "dimension", "claim_id", maintain_order=True)
        .agg(
            by_person=pl.col("judge_id").str.starts_with(_HUMAN).any(),
            least=pl.col("confidence").min(),
            spread=pl.col("unit_score").max() - pl.col("unit_score").min(),
            n_categories=category.n_unique(),
            said=pl.format("{}: {}", "judge_id", category).str.join("; "),
        )
    )


def _claims(claim_checks: pl.DataFrame, opinions: pl.DataFrame, threshold: float) -> pl.DataFrame:
    kind = pl.col("kind")
    judged = claim_checks.join(
        opinions.drop_nulls("claim_id").drop("dimension"), on=_CLAIM, how="left", maintain_order="left"
    ).filter(
        ~pl.col("by_person").fill_null(value=False) & (pl.col("reason").fill_null("") != "empty_response")
    )
    weight = pl.when(kind == "insight").then(WEIGHTS[INSIGHT]).otherwise(WEIGHTS[CALIBRATION])
    n_parts = pl.when(kind == "insight").then(1).otherwise(kind.n_unique().over(RUN_KEY))
    made = pl.when("made").then(pl.lit("made")).otherwise(pl.lit("not made"))
    rows = judged.with_columns(
        dimension=pl.lit(None, pl.String),
        why=_why_claim(threshold),
        points=weight / n_parts / pl.len().over(*RUN_KEY, "kind"),
        stands=pl.format("{} ({}) {}", made, "status", pl.col("said").fill_null("")).str.strip_chars(),
    )
    return _items(rows)


def _why_claim(threshold: float) -> pl.Expr:
    status, is_forbidden = pl.col("status"), pl.col("kind") == "forbidden"
    by_judge = status == "judge"
    return (
        pl.when(is_forbidden & pl.col("made"))
        .then(pl.lit("blocking_claim"))
        .when(by_judge & (pl.col("n_categories") > 1))
        .then(pl.lit("judges_disagree"))
        .when(by_judge & (pl.col("least") < threshold))
        .then(pl.lit("low_confidence"))
        .when(status == "inconclusive")
        .then(pl.lit("inconclusive_match"))
        .when((status == "none") & is_forbidden)
        .then(pl.lit("unjudged_forbidden"))
        .when(status == "none")
        .then(pl.lit("unjudged_claim"))
    )


def _dimensions(judged_runs: pl.DataFrame, opinions: pl.DataFrame, threshold: float) -> pl.DataFrame:
    is_empty = pl.col("flags").list.contains("empty_response")
    judged = judged_runs.join(
        opinions.drop_nulls("dimension").drop("claim_id"), on=_ITEM, how="left", maintain_order="left"
    ).filter(~pl.col("by_person").fill_null(value=False) & ~is_empty)
    why = (
        pl.when(pl.col("score").is_null())
        .then(pl.lit("not_judged"))
        .when(pl.col("n_categories") > 1)
        .then(pl.lit("judges_disagree"))
        .when(pl.col("least") < threshold)
        .then(pl.lit("low_confidence"))
    )
    weights = {key: float(WEIGHTS[key]) for key in JUDGED}
    scored = pl.format("{} ({})", category_of_unit(pl.col("score")), pl.col("said").fill_null("no verdict"))
    rows = judged.with_columns(
        claim_id=pl.lit(None, pl.String),
        why=why,
        points=pl.col("dimension").replace_strict(weights, return_dtype=pl.Float64),
        stands=pl.coalesce(scored, pl.lit("no score")),
    )
    return _items(rows)


def _items(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a reason, with the doubt about them."""
    return rows.drop_nulls("why").select(
        *RUN_KEY, "dimension", "claim_id", "why", "stands", pl.col("points").cast(pl.Float64), doubt=_doubt()
    )


def _doubt() -> pl.Expr:
    fixed = pl.col("why").replace_strict(DOUBTS, default=None, return_dtype=pl.Float64)
    unsure = pl.when(pl.col("why") == "low_confidence").then(1 - pl.col("least"))
    split = pl.when(pl.col("why") == "judges_disagree").then("spread")
    return pl.coalesce(fixed, unsure, split)


def _answers(runs: pl.DataFrame) -> pl.DataFrame:
    """The whole answer as one text, for items without a sentence of their own."""
    parts = {"Findings": "key_findings", "Limitations": "limitations"}
    texts = [
        pl.format("{}: {}", pl.lit(name), pl.col(column).list.join(" | ")) for name, column in parts.items()
    ]
    cited = (
        pl.col("evidence_citations").list.eval(pl.element().struct.field("citation_text")).list.join(" | ")
    )
    whole = pl.when(pl.col("key_findings").list.len() == 0).then(pl.format("Text: {}", "raw_response_text"))
    answer = pl.concat_str(
        [*texts, pl.format("Sources: {}", cited), whole], separator="\n", ignore_nulls=True
    )
    return runs.select(*RUN_KEY, answer=answer)
