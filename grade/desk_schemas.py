"""The tables of the analyst's desk: intervals, comparisons, and the words behind the gold ids.

`grade.schemas` gathers them with the rest.
"""

from __future__ import annotations

from typing import Final

from grade.table import Table

INTERVALS: Final = Table(
    "intervals",
    "a rolled-up score of a model with its interval",
    ("model_id", "level", "track", "pack_id", "measure"),
    ("estimate", "low", "high", "n_measured", "rank_low", "rank_high", "n_ranked", "no_interval"),
    frozenset({"n_measured"}),
    nullable_key=frozenset({"track", "pack_id"}),
)
COMPARISONS: Final = Table(
    "comparisons",
    "two models compared on the tasks that both answered",
    ("measure", "model_id", "other_model_id"),
    (
        "n_measured",
        "difference",
        "low",
        "high",
        "p_value",
        "p_holm",
        "smallest_difference",
        "is_comparable",
        "no_interval",
    ),
    frozenset({"n_measured", "is_comparable"}),
    renamed={"low": "difference_low", "high": "difference_high"},
)
GOLD_FACTS: Final = Table(
    "gold_facts",
    "a fact that a right answer states",
    ("task_id", "fact_id"),
    ("claim_text", "gold_value", "tolerance", "unit", "string_value"),
    frozenset({"claim_text"}),
)
GOLD_CLAIMS: Final = Table(
    "gold_claims",
    "an insight, caveat or forbidden claim that answers are searched for",
    ("task_id", "claim_id"),
    ("kind", "claim_text", "is_calibration"),
    frozenset({"kind", "claim_text", "is_calibration"}),
)
