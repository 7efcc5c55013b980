"""Stage claims: one row per run and claim, with what settled it."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.claims.candidates import CLAIM_FIELDS, collect_candidates
from grade.claims.guards import guard
from grade.claims.overlaps import match_raw
from grade.columns import FIELDS
from grade.gold import Gold
from grade.schemas import CLAIM_CHECKS, RUN_KEY, check
from grade.text.corpus import Corpus

_CHECK: Final = ["run_id", "claim_no"]


def check_claims(
    runs: pl.DataFrame, spans: pl.DataFrame, corpus: Corpus, gold: Gold, *, verdicts: pl.DataFrame
) -> pl.DataFrame:
    """Look for every claim of the task in every run.

    The best conclusive match decides: contained before overlapping, then the larger similarity,
    then reading order. Without one a verdict does, and without a verdict the claim counts as not
    made and not settled. A person's verdict decides even against a match. The claims of an empty
    run are not made, whatever a verdict says.

    Args:
        runs: run_id, task_no, is_empty and the run key, one row per run.
        spans: SPANS.
        corpus: The texts.
        gold: The catalogue.
        verdicts: One row per judged claim: the run key, claim_id, made, is_human.

    Returns:
        CLAIM_CHECKS: as many rows per run as its task has claims.
    """
    placed = spans.join(runs.select("run_id", "task_no"), on="run_id", maintain_order="left")
    candidates = collect_candidates(corpus, placed)
    matches = guard(match_raw(candidates, corpus, gold), candidates, corpus)
    best = _best(matches, candidates.places).join(candidates.texts, on="text_id", maintain_order="left")
    wanted = runs.select(*RUN_KEY, "run_id", "task_no", "is_empty").join(
        gold.claims.drop("task_id"), on="task_no", maintain_order="left_right"
    )
    rows = wanted.join(best, on=_CHECK, how="left", maintain_order="left").join(
        verdicts.select(*RUN_KEY, "claim_id", "is_human", judged="made"),
        on=[*RUN_KEY, "claim_id"],
        how="left",
        maintain_order="left",
    )
    return check(_settled(rows), CLAIM_CHECKS, where="check_claims")


def _best(matches: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """The reported match of each run and claim, conclusive ones first."""
    fields = pl.DataFrame(
        [(kind, number) for kind, numbers in CLAIM_FIELDS.items() for number in numbers],
        schema={"kind": pl.String, "field_no": pl.UInt8},
        orient="row",
    )
    return (
        places.join(matches, on="text_id")
        .join(fields, on=["kind", "field_no"], how="semi")
        .sort(
            *_CHECK,
            pl.col("reason").is_not_null(),
            ~pl.col("is_contained"),
            -pl.col("similarity"),
            "field_no",
            "entry_no",
            "part_no",
        )
        .unique(_CHECK, keep="first", maintain_order=True)
        .select(*_CHECK, "field_no", "text_id", "is_contained", "similarity", "reason")
    )


def _settled(rows: pl.DataFrame) -> pl.DataFrame:
    """Weigh match against verdict and write the table."""
    is_match = pl.col("similarity").is_not_null() & pl.col("reason").is_null()
    by_judge = pl.col("judged").is_not_null() & (~is_match | pl.col("is_human")) & ~pl.col("is_empty")
    settled = rows.with_columns(
        status=_status(is_match, by_judge), made=pl.when(by_judge).then(pl.col("judged")).otherwise(is_match)
    )
    is_inconclusive = pl.col("status") == "inconclusive"
    return settled.select(
        *RUN_KEY,
        "claim_id",
        "kind",
        "made",
        score=(pl.col("made") != (pl.col("kind") == "forbidden")).cast(pl.Float64),
        status="status",
        reason=pl.when("is_empty").then(pl.lit("empty_response")).when(is_inconclusive).then("reason"),
        similarity="similarity",
        field=pl.col("field_no").replace_strict(
            dict(enumerate(FIELDS)), default=None, return_dtype=pl.String
        ),
        evidence="text",
    ).sort(CLAIM_CHECKS.key)


def _status(is_match: pl.Expr, by_judge: pl.Expr) -> pl.Expr:
    contained = pl.when("is_contained").then(pl.lit("contained")).otherwise(pl.lit("overlap"))
    return (
        pl.when(by_judge)
        .then(pl.lit("judge"))
        .when(is_match)
        .then(contained)
        .when(pl.col("reason").is_not_null())
        .then(pl.lit("inconclusive"))
        .otherwise(pl.lit("none"))
    )
