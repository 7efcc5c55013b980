"""One schema per table that passes between stages, and the check that holds a frame to it.

A `Table` says what one row is, which columns it has in which order, its key and its sort order.
`check` holds collected frames to their tables, see `grade.contracts`.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.contracts import hold
from grade.decision_schemas import (
    AGREEMENT,
    CATEGORY_RESULTS,
    DECISIONS,
    DISAGREEMENTS,
    FINDING_COUNTS,
    FINDINGS,
    JUDGED_CATEGORIES,
    REVIEW_QUEUE,
)
from grade.desk_schemas import COMPARISONS, GOLD_CLAIMS, GOLD_FACTS, INTERVALS
from grade.dimensions import DIMENSIONS
from grade.judging.tables import JUDGE_USAGE, JUDGING_TABLES  # noqa: F401 - gathered here with the others
from grade.table import GROUP_KEY, RUN_KEY, Table

_N_SCORED: Final = tuple(f"n_scored_{key}" for key in DIMENSIONS)
_METADATA: Final = (
    "adapter_version",
    "timestamp_utc",
    "latency_ms",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "model_temperature",
    "provider",
    "finish_reason",
)
_ROLLED: Final = (
    "n_tasks",
    "n_runs",
    "task_coverage",
    *DIMENSIONS,
    "composite",
    "weight_scored",
    "claims_judged",
    "n_claims_settled",
    "n_claims",
    *_N_SCORED,
)
_ROLLED_REQUIRED: Final = frozenset({"n_tasks", "n_runs", "task_coverage", "weight_scored", *_N_SCORED})

_WEIGHTS: Final = tuple(f"weight_{key}" for key in DIMENSIONS)

TASKS: Final = Table(
    "tasks",
    "a task of the catalogue",
    ("task_id",),
    (
        "pack_id",
        "track",
        "title",
        "task_type",
        "user_prompt",
        "allowed_inputs",
        *_WEIGHTS,
        *(f"guidance_{key}" for key in DIMENSIONS),
    ),
    frozenset({"pack_id", "track", "title", "user_prompt", "allowed_inputs", *_WEIGHTS}),
)
RUNS: Final = Table(
    "runs",
    "an accepted run: one answer of one model to one task",
    RUN_KEY,
    (
        "pack_id",
        "track",
        "key_findings",
        "limitations",
        "structured_metrics",
        "evidence_citations",
        "raw_response_text",
        *_METADATA,
        "input_flags",
        "content_hash",
    ),
    frozenset(
        {
            "pack_id",
            "track",
            "key_findings",
            "limitations",
            "structured_metrics",
            "evidence_citations",
            "content_hash",
        }
    ),
)
REJECTS: Final = Table(
    "rejects",
    "a refused record",
    ("file", "line", "byte_offset"),
    ("reason", "detail", "raw"),
    frozenset({"reason"}),
    is_unique=False,
    nullable_key=frozenset({"line", "byte_offset"}),
)
VERDICTS: Final = Table(
    "verdicts",
    "an accepted verdict: one judgement of one run's dimension or claim by one judge",
    (*RUN_KEY, "dimension", "claim_id", "judge_id"),
    (
        "score",
        "int_score",
        "numeric_score",
        "confidence",
        "reasoning",
        "findings",
        "unit_score",
        "file",
        "line",
    ),
    frozenset({"unit_score"}),
    renamed={"score": "category"},
    nullable_key=frozenset({"dimension", "claim_id"}),
)
FACT_CHECKS: Final = Table(
    "fact_checks",
    "a gold fact looked for in a run",
    (*RUN_KEY, "fact_id"),
    ("score", "matched", "gold_value", "tolerance", "predicted_value", "source", "evidence", "method"),
    frozenset({"score", "matched"}),
)
CLAIM_CHECKS: Final = Table(
    "claim_checks",
    "a claim looked for in a run",
    (*RUN_KEY, "claim_id"),
    ("kind", "made", "score", "status", "reason", "similarity", "field", "evidence"),
    frozenset({"kind", "made", "score", "status"}),
)
CITATION_CHECKS: Final = Table(
    "citation_checks",
    "a citation of a run",
    (*RUN_KEY, "citation_no"),
    ("citation", "source_file", "source_column", "file_allowed", "column_exists", "unknown_ids", "grounded"),
    frozenset({"unknown_ids"}),
)
RUN_SCORES: Final = Table(
    "run_scores",
    "a dimension of a run",
    (*RUN_KEY, "dimension"),
    ("score", "source", "flags"),
    frozenset({"source", "flags"}),
)
GROUPS: Final = Table(
    "groups",
    "a group: all runs of one model on one task",
    GROUP_KEY,
    ("n_runs", "fingerprint"),
    frozenset({"n_runs", "fingerprint"}),
)
CONSISTENCY: Final = Table(
    "consistency",
    "a group: all runs of one model on one task",
    GROUP_KEY,
    ("n_runs", "finding_stability", "ranking_stability", "metric_variance", "consistency"),
    frozenset({"n_runs"}),
)
TASK_SCORES: Final = Table(
    "task_scores",
    "a group: all runs of one model on one task",
    GROUP_KEY,
    (
        "track",
        "pack_id",
        "n_runs",
        *DIMENSIONS,
        "composite",
        "weight_scored",
        "rubric_composite",
        "claims_judged",
        "n_claims_settled",
        "n_claims",
        *_N_SCORED,
        "flags",
    ),
    frozenset({"track", "pack_id", "n_runs", "weight_scored", "flags", *_N_SCORED}),
)
TRACK_SCORES: Final = Table(
    "track_scores", "a model on one track", ("model_id", "track"), _ROLLED, _ROLLED_REQUIRED
)
PACK_SCORES: Final = Table(
    "pack_scores", "a model on one pack", ("model_id", "pack_id"), _ROLLED, _ROLLED_REQUIRED
)
OVERALL_SCORES: Final = Table("overall_scores", "a model", ("model_id",), _ROLLED, _ROLLED_REQUIRED)

RESULT_TABLES: Final[tuple[Table, ...]] = (
    TASKS,
    GOLD_FACTS,
    GOLD_CLAIMS,
    GROUPS,
    RUNS,
    REJECTS,
    VERDICTS,
    FACT_CHECKS,
    CLAIM_CHECKS,
    CITATION_CHECKS,
    RUN_SCORES,
    CONSISTENCY,
    TASK_SCORES,
    TRACK_SCORES,
    PACK_SCORES,
    OVERALL_SCORES,
    INTERVALS,
    COMPARISONS,
    CATEGORY_RESULTS,
    FINDINGS,
    DECISIONS,
    DISAGREEMENTS,
    AGREEMENT,
    JUDGE_USAGE,
)
"""The tables of a result folder, in the order in which they are made."""

GROUP_TABLES: Final[tuple[Table, ...]] = (
    GROUPS,
    RUNS,
    FACT_CHECKS,
    CLAIM_CHECKS,
    CITATION_CHECKS,
    RUN_SCORES,
    CONSISTENCY,
    FINDINGS,
    TASK_SCORES,
)
"""The tables whose rows depend on their own group alone: made batch by batch, and reused."""

FACTS: Final = Table(
    "facts",
    "a gold fact of the catalogue",
    ("fact_no",),
    (
        "task_no",
        "task_id",
        "fact_id",
        "mode",
        "text_no",
        "string_text_no",
        "gold_value",
        "tolerance",
        "string_value",
        "metric_keys",
        "has_cue",
    ),
    frozenset(
        {"task_no", "task_id", "fact_id", "mode", "text_no", "string_text_no", "metric_keys", "has_cue"}
    ),
    is_written=False,
)
SOUGHT: Final = Table(
    "sought",
    "a value that a fact wants stated in text",
    ("sought_no",),
    ("fact_no", "part", "value", "slack", "may_divide", "may_multiply"),
    frozenset({"fact_no", "part", "value", "slack", "may_divide", "may_multiply"}),
    is_written=False,
)
SOUGHT_ENTITIES: Final = Table(
    "sought_entities",
    "an entity that a sought value may belong to",
    ("sought_no", "kind", "entity"),
    (),
    renamed={"kind": "entity_kind"},
    is_written=False,
)
CLAIMS: Final = Table(
    "claims",
    "a claim of the catalogue",
    ("claim_no",),
    ("task_no", "task_id", "claim_id", "kind", "is_calibration", "text_no"),
    frozenset({"task_no", "task_id", "claim_id", "kind", "is_calibration", "text_no"}),
    is_written=False,
)
CLUES: Final = Table(
    "clues",
    "a word, or part of one, without some of which a sentence does not match a gold text",
    ("text_no", "clue", "is_whole"),
    ("task_no", "n_needed"),
    frozenset({"task_no", "n_needed"}),
    is_written=False,
)
METRICS: Final = Table(
    "metrics",
    "a number or text of a run's structured metrics",
    ("run_id", "leaf_no"),
    ("key", "value", "text", "is_percent"),
    frozenset({"key", "is_percent"}),
    renamed={"text": "metric_text"},
    is_written=False,
)
GOLD_TEXTS: Final = Table(
    "gold_texts", "a text of the catalogue", ("text_no",), ("text",), frozenset({"text"}), is_written=False
)
SPANS: Final = Table(
    "spans",
    "a sentence where it stands in a run",
    ("run_id", "field_no", "entry_no", "sentence_no"),
    ("sentence_id",),
    frozenset({"sentence_id"}),
    is_written=False,
)
SENTENCES: Final = Table(
    "sentences", "a distinct sentence", ("sentence_id",), ("text",), frozenset({"text"}), is_written=False
)
TOKENS: Final = Table(
    "tokens",
    "a token of a distinct sentence",
    ("sentence_id", "position"),
    ("token_id", "clause"),
    frozenset({"token_id", "clause"}),
    is_written=False,
)

INNER_TABLES: Final[tuple[Table, ...]] = (
    FACTS,
    SOUGHT,
    SOUGHT_ENTITIES,
    CLAIMS,
    CLUES,
    METRICS,
    GOLD_TEXTS,
    SPANS,
    SENTENCES,
    TOKENS,
    JUDGED_CATEGORIES,
    FINDING_COUNTS,
    REVIEW_QUEUE,
)
"""Tables that only stages see."""


def check(frame: pl.DataFrame, table: Table, *, where: str = "") -> pl.DataFrame:
    """Hold a collected frame to its table and return it unchanged.

    Args:
        frame: The frame; columns, their order and their types must be the table's.
        table: The contract.
        where: The stage that made the frame, for the message.

    Raises:
        ContractError: The frame breaks the contract; the message names the column and rule.
    """
    return hold(frame, table, where=where)
