"""Score one batch of whole groups: the stages between validated runs and rolled-up scores, in order."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from grade.assemble import assemble, close_gate, mark_empty
from grade.citations import check_citations
from grade.claims.checks import check_claims
from grade.consistency import score_consistency
from grade.db import Database
from grade.explode import explode
from grade.facts.checks import check_facts
from grade.gold import Gold
from grade.metrics import flatten_metrics
from grade.schemas import GROUP_KEY
from grade.screening import screen
from grade.text.corpus import cut_texts, read_corpus
from grade.verdict_scores import claim_verdicts, score_verdicts
from pipelines.catalogue import Catalogue


class BatchTables(NamedTuple):
    """What scoring makes of a batch; see `grade.schemas` for each table."""

    fact_checks: pl.DataFrame
    claim_checks: pl.DataFrame
    citation_checks: pl.DataFrame
    run_scores: pl.DataFrame
    consistency: pl.DataFrame


def score_batch(
    runs: pl.DataFrame,
    verdicts: pl.DataFrame,
    *,
    gold: Gold,
    catalogue: Catalogue,
    database: Database | None = None,
) -> BatchTables:
    """Score runs; no row of the result depends on how runs are cut into batches of whole groups.

    Args:
        runs: RUNS, whole (model, task) groups.
        verdicts: VERDICTS, of these runs at least.
        gold: What the tasks look for.
        catalogue: The packs' files, for citations.
        database: An open database to use.
    """
    numbered = _numbered(runs, gold)
    every_span, sentences = explode(numbered, with_citations=pl.col("track") == 3)  # noqa: PLR2004
    texts = cut_texts(sentences, gold.texts)
    spans = screen(every_span, texts.chunks, numbered, gold)
    corpus = read_corpus(texts, spans["sentence_id"])
    leaves, nonfinite = flatten_metrics(numbered, database=database)
    marked = mark_empty(close_gate(numbered, spans, corpus.entities, corpus.quantities), every_span, leaves)
    judged = claim_verdicts(verdicts)
    fact_checks = check_facts(marked, spans, corpus, leaves, gold, verdicts=judged)
    claim_checks = check_claims(marked, spans, corpus, gold, verdicts=judged)
    run_scores = assemble(marked, fact_checks, claim_checks, gold.claims, score_verdicts(verdicts), nonfinite)
    return BatchTables(
        fact_checks,
        claim_checks,
        check_citations(runs, catalogue.table, catalogue.headers, catalogue.identifiers),
        run_scores,
        score_consistency(numbered, spans, corpus.tokens, leaves),
    )


def _numbered(runs: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Add run_id, group_id and task_no; the number of runs stays."""
    ordered = runs.sort("model_id", "task_id", "run_index").with_row_index("run_id")
    groups = ordered.select(GROUP_KEY).unique(maintain_order=True).with_row_index("group_id")
    return ordered.join(groups, on=list(GROUP_KEY), how="left", maintain_order="left").join(
        gold.tasks.select("task_id", "task_no"), on="task_id", how="left", maintain_order="left"
    )
