"""The tables of a change report; `old_` and `new_` before a column name tell the two results apart."""

from __future__ import annotations

from typing import Final

from grade.table import GROUP_KEY, RUN_KEY, Table


def _pairs(*names: str) -> tuple[str, ...]:
    return tuple(f"{age}_{name}" for name in names for age in ("old", "new"))


def _meanings(names: tuple[str, ...], **others: str) -> dict[str, str]:
    """Each paired column means what the column of that name means."""
    return {name: name.removeprefix("old_").removeprefix("new_") for name in names} | others


_FACT: Final = _pairs("matched", "gold_value", "predicted_value", "source", "evidence")
_CLAIM: Final = _pairs("made", "status", "reason", "field", "evidence", "claim_text")
_DECISION: Final = _pairs("status", "rule", "rationale")
_COUNTS: Final = (
    "n_facts_gained",
    "n_facts_lost",
    "n_claims_better",
    "n_claims_worse",
    "n_decisions_changed",
)

FACT_FLIPS: Final = Table(
    "fact_flips",
    "a gold fact of a run that one result finds and the other does not",
    (*RUN_KEY, "fact_id"),
    _FACT,
    frozenset({"old_matched", "new_matched"}),
    renamed=_meanings(_FACT),
)
CLAIM_FLIPS: Final = Table(
    "claim_flips",
    "a claim of a run that counts as made in one result and not in the other",
    (*RUN_KEY, "claim_id"),
    ("kind", *_CLAIM),
    frozenset({"kind", "old_made", "new_made", "old_status", "new_status"}),
    renamed=_meanings(_CLAIM),
)
DECISION_FLIPS: Final = Table(
    "decision_flips",
    "a decision about a group, or about a model (task_id null), that differs",
    GROUP_KEY,
    _DECISION,
    frozenset({"old_status", "new_status"}),
    renamed=_meanings(_DECISION, old_status="decision_status", new_status="decision_status"),
    nullable_key=frozenset({"task_id"}),
)
SCORE_CHANGES: Final = Table(
    "score_changes",
    "a score that differs: of a model, or of it on a task, a track or a pack",
    ("model_id", "scope", "task_id", "track", "pack_id", "measure"),
    ("old_value", "new_value", "change"),
    renamed={"old_value": "measured_value", "new_value": "measured_value"},
    nullable_key=frozenset({"task_id", "track", "pack_id"}),
)
MODEL_CHANGES: Final = Table(
    "model_changes",
    "a model that both results have",
    ("model_id",),
    (
        "old_composite",
        "new_composite",
        "change",
        "n_measured",
        "difference",
        "low",
        "high",
        "p_value",
        "p_holm",
        "is_beyond_noise",
        "no_interval",
        "old_section",
        "new_section",
        "old_rank",
        "new_rank",
    ),
    frozenset({"n_measured", "old_section", "new_section"}),
    renamed={
        "old_composite": "composite",
        "new_composite": "composite",
        "low": "difference_low",
        "high": "difference_high",
        "old_section": "section",
        "new_section": "section",
        "old_rank": "model_rank",
        "new_rank": "model_rank",
    },
)
CHANGE_SUMMARY: Final = Table(
    "change_summary",
    "all changes of a task, a track, a pack or a model together",
    ("scope", "task_id", "track", "pack_id", "model_id"),
    ("n_groups", "n_groups_changed", "mean_change", *_COUNTS),
    frozenset({"n_groups", "n_groups_changed", *_COUNTS}),
    nullable_key=frozenset({"task_id", "track", "pack_id", "model_id"}),
)
GROUP_CHANGES: Final = Table(
    "group_changes",
    "a group that both results have",
    GROUP_KEY,
    ("track", "pack_id", "old_composite", "new_composite", "is_comparable", *_COUNTS),
    frozenset({"track", "pack_id", "is_comparable", *_COUNTS}),
    renamed={"old_composite": "composite", "new_composite": "composite"},
    is_written=False,
)

DIFF_TABLES: Final[tuple[Table, ...]] = (
    FACT_FLIPS,
    CLAIM_FLIPS,
    DECISION_FLIPS,
    SCORE_CHANGES,
    MODEL_CHANGES,
    CHANGE_SUMMARY,
)
"""The tables of a change report's folder."""
