"""Stage facts: one row per run and gold fact, with the place that decided it."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.columns import FIELDS
from grade.facts.stated import state_values
from grade.facts.structured import match_structured
from grade.facts.wording import match_wording
from grade.gold import Gold
from grade.schemas import FACT_CHECKS, RUN_KEY, check
from grade.text.corpus import Corpus, sentence_words

_CHECK: Final = ["run_id", "fact_no"]
_FOUND: Final = (*_CHECK, "predicted_value", "source", "evidence", "method")


def check_facts(
    runs: pl.DataFrame,
    spans: pl.DataFrame,
    corpus: Corpus,
    leaves: pl.DataFrame,
    gold: Gold,
    *,
    verdicts: pl.DataFrame,
) -> pl.DataFrame:
    """Look for every gold fact of the task in every run.

    A fact is looked for in the metrics, then in the text: findings, limitations, raw response.
    A verdict decides the facts without a number that stay unmatched, except in empty runs.

    Args:
        runs: run_id, task_no, is_empty and the run key, one row per run.
        spans: SPANS.
        corpus: The texts.
        leaves: METRICS.
        gold: The catalogue.
        verdicts: One row per judged claim: the run key, claim_id, made.

    Returns:
        FACT_CHECKS: as many rows per run as its task has facts.
    """
    claim_words = _claim_words(corpus, gold)
    placed = spans.join(runs.select("run_id", "task_no"), on="run_id", maintain_order="left")
    structured = match_structured(leaves, runs, gold, claim_words)
    stated = state_values(corpus, placed, gold, claim_words)
    in_text = pl.concat(
        [
            _single(stated, gold),
            _every_part(stated, gold),
            match_wording(corpus, placed, gold, claim_words).with_columns(
                predicted_value=pl.lit(None, pl.Float64)
            ),
        ],
        how="diagonal",
    )
    in_text = in_text.join(structured.declared, on=_CHECK, how="anti")
    found = _first_of(structured.matches, in_text, corpus)
    wanted = runs.select(*RUN_KEY, "run_id", "task_no", "is_empty").join(
        gold.facts.drop("task_id"), on="task_no", maintain_order="left_right"
    )
    rows = wanted.join(found, on=_CHECK, how="left", maintain_order="left")
    return check(_judged(rows, verdicts), FACT_CHECKS, where="check_facts")


def _claim_words(corpus: Corpus, gold: Gold) -> pl.DataFrame:
    first = pl.lit(corpus.first_gold, pl.UInt32)
    claims = gold.facts.select("fact_no", sentence_id=pl.col("text_no") + first)
    return (
        sentence_words(corpus, claims.select("sentence_id"))
        .join(claims, on="sentence_id")
        .select("fact_no", "word")
    )


def _single(stated: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Value facts: their one sought value is stated."""
    facts = gold.facts.filter(pl.col("mode") == "value").select("fact_no")
    parts = gold.sought.join(facts, on="fact_no", how="semi").select("sought_no", "fact_no")
    return stated.join(parts, on="sought_no").select(
        *_CHECK, "field_no", "sentence_id", "predicted_value", "method"
    )


def _every_part(stated: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Facts by quantities: every part is stated, those of one sentence in the claim's order."""
    facts = gold.facts.filter(pl.col("mode") == "quantities").select("fact_no")
    parts = gold.sought.join(facts, on="fact_no", how="semi").select("sought_no", "fact_no", "part")
    found = stated.join(parts, on="sought_no")
    n_parts = parts.group_by("fact_no").agg(n_parts=pl.len())
    whole = (
        found.group_by(_CHECK)
        .agg(n_found=pl.len())
        .join(n_parts, on="fact_no")
        .filter(pl.col("n_found") == pl.col("n_parts"))
    )
    complete = found.join(whole, on=_CHECK, how="semi")
    kept = complete.join(_out_of_order(complete, gold), on=_CHECK, how="anti")
    return kept.filter(pl.col("part") == 0).select(
        *_CHECK,
        "field_no",
        "sentence_id",
        predicted_value=pl.lit(None, pl.Float64),
        method=pl.lit("quantities"),
    )


def _out_of_order(found: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Run and fact with two parts in one sentence, against the claim's order.

    Two parts that both have entities, and not the same, may stand in any order.
    """
    entities = gold.sought_entities.group_by("sought_no").agg(
        pl.concat_str("kind", pl.lit(" "), "entity").sort().str.join(",").alias("entities")
    )
    placed = found.join(entities, on="sought_no", how="left").select(
        *_CHECK, "field_no", "entry_no", "sentence_no", "part", "position", "entities"
    )
    pairs = placed.join(placed, on=[*_CHECK, "field_no", "entry_no", "sentence_no"], suffix="_later").filter(
        pl.col("part") < pl.col("part_later")
    )
    told_apart = (pl.col("entities") != pl.col("entities_later")).fill_null(value=False)
    return pairs.filter((pl.col("position") > pl.col("position_later")) & ~told_apart).select(_CHECK).unique()


def _first_of(structured: pl.DataFrame, in_text: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Metrics before text: run_id, fact_no, predicted_value, source, evidence, method."""
    from_metrics = structured.with_columns(source=pl.lit("structured")).select(_FOUND)
    names = dict(enumerate(FIELDS))
    from_text = (
        in_text.join(structured, on=_CHECK, how="anti")
        .join(corpus.texts, on="sentence_id", maintain_order="left")
        .with_columns(
            source=pl.col("field_no").replace_strict(names, return_dtype=pl.String), evidence="text"
        )
        .select(_FOUND)
    )
    return pl.concat([from_metrics, from_text])


def _judged(rows: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Let verdicts decide unmatched facts without a number, and write the table."""
    asked = rows.with_columns(claim_id=pl.concat_str(pl.lit("fact:"), "fact_id")).join(
        verdicts.select(*RUN_KEY, "claim_id", "made"),
        on=[*RUN_KEY, "claim_id"],
        how="left",
        maintain_order="left",
    )
    is_open = pl.col("method").is_null() & (pl.col("mode") != "value") & ~pl.col("is_empty")
    by_judge = is_open & pl.col("made").is_not_null()
    matched = pl.col("method").is_not_null() | (is_open & pl.col("made").fill_null(value=False))
    return asked.select(
        *RUN_KEY,
        "fact_id",
        score=matched.cast(pl.Float64),
        matched=matched,
        gold_value="gold_value",
        tolerance="tolerance",
        predicted_value="predicted_value",
        source=pl.when(by_judge).then(pl.lit("judge")).otherwise("source"),
        evidence="evidence",
        method=pl.when(by_judge).then(pl.lit("judge")).otherwise("method"),
    ).sort(FACT_CHECKS.key)
