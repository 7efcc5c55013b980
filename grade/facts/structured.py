"""Facts in structured metrics: compare the values of the keys that speak of each fact."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.expressions.values import as_read, reading
from grade.facts.bindings import bind_keys
from grade.gold import Gold
from grade.text.cleaning import clean, folded

_CHECK: Final = ["run_id", "fact_no"]


class StructuredFacts(NamedTuple):
    """What the metrics say of the facts.

    Attributes:
        matches: A row per run and fact matched: run_id, fact_no, predicted_value, evidence, method.
        declared: A row per run and fact whose declared metric is there, with whatever value:
            run_id, fact_no. Its text is not searched.
    """

    matches: pl.DataFrame
    declared: pl.DataFrame


def match_structured(
    leaves: pl.DataFrame, runs: pl.DataFrame, gold: Gold, claim_words: pl.DataFrame
) -> StructuredFacts:
    """Match facts in the metrics.

    Args:
        leaves: METRICS of the batch.
        runs: run_id and task_no.
        gold: The catalogue.
        claim_words: fact_no and word, the content words of each fact's claim.
    """
    placed = leaves.join(runs.select("run_id", "task_no"), on="run_id", maintain_order="left")
    valued = gold._replace(facts=gold.facts.filter(pl.col("mode") == "value"))
    bound = placed.join(bind_keys(placed, valued, claim_words), on=["task_no", "key"], maintain_order="left")
    declared = bound.filter("is_declared").select(_CHECK).unique()
    named = declared.with_columns(has_declared=True)
    counting = bound.join(named, on=_CHECK, how="left", maintain_order="left").filter(
        (pl.col("has_declared").is_null() | pl.col("is_declared")) & ~pl.col("is_vetoed")
    )
    return StructuredFacts(pl.concat([_values(counting, valued), _strings(placed, gold)]), declared)


def _values(counting: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """The nearest matching value of each run and fact."""
    leaf, gold_value = pl.col("leaf"), pl.col("value")
    percent_like = pl.col("is_percent") | ((leaf.abs() > 1) & (leaf.abs() <= 100) & pl.col("says_rate"))  # noqa: PLR2004
    fraction_like = (leaf.abs() > 0) & (leaf.abs() < 1) & ~pl.col("is_percent") & pl.col("says_rate")
    method = reading(
        leaf,
        gold_value,
        pl.col("slack"),
        divides=pl.col("may_divide") & percent_like,
        multiplies=pl.col("may_multiply") & fraction_like,
    )
    return (
        counting.rename({"value": "leaf"})
        .drop_nulls("leaf")
        .join(gold.sought, on="fact_no")
        .with_columns(method=method)
        .drop_nulls("method")
        .with_columns(predicted_value=as_read(leaf, pl.col("method")))
        .sort(*_CHECK, (pl.col("predicted_value") - gold_value).abs(), "leaf_no")
        .unique(_CHECK, keep="first", maintain_order=True)
        .select(*_CHECK, "predicted_value", evidence="key", method="method")
    )


def _strings(leaves: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """The first text that equals each string fact, whatever the case."""
    facts = gold.facts.filter(pl.col("mode") == "string")
    return (
        leaves.drop_nulls("text")
        .with_columns(folded=_folded("text"))
        .join(facts.select("task_no", "fact_no", folded=_folded("string_value")), on=["task_no", "folded"])
        .sort(*_CHECK, "leaf_no")
        .unique(_CHECK, keep="first", maintain_order=True)
        .select(
            *_CHECK,
            predicted_value=pl.lit(None, pl.Float64),
            evidence="key",
            method=pl.lit("string_value"),
        )
    )


def _folded(column: str) -> pl.Expr:
    return folded(clean(pl.col(column)).str.strip_chars())
