"""The tables of categories, findings, decisions and judges; `grade.schemas` gathers them with the rest."""

from __future__ import annotations

from typing import Final

from grade.table import GROUP_KEY, RUN_KEY, Table

CATEGORY_RESULTS: Final = Table(
    "category_results",
    "a dimension of a group as a category",
    (*GROUP_KEY, "dimension"),
    (
        "score",
        "unit_score",
        "int_score",
        "confidence",
        "reasoning",
        "n_judges",
        "n_unreadable",
        "is_disputed",
    ),
    frozenset({"n_judges", "n_unreadable", "is_disputed"}),
    renamed={"score": "category"},
)
FINDINGS: Final = Table(
    "findings",
    "a finding about a run",
    (*RUN_KEY, "dimension", "severity", "code", "title", "evidence", "description", "judge_id"),
    (),
    renamed={"title": "finding_title", "judge_id": "finding_judge_id"},
    is_unique=False,
    nullable_key=frozenset({"code", "evidence", "description", "judge_id"}),
)
DECISIONS: Final = Table(
    "decisions",
    "a decision about a group, or about a model (task_id null)",
    GROUP_KEY,
    (
        "n_pass",
        "n_partial",
        "n_fail",
        "n_total",
        "int_score",
        "confidence",
        "needs_human_review",
        "status",
        "rule",
        "rationale",
        "policy",
        "policy_sha256",
        "previous_status",
    ),
    frozenset(
        {
            "n_pass",
            "n_partial",
            "n_fail",
            "n_total",
            "needs_human_review",
            "status",
            "rule",
            "rationale",
            "policy",
            "policy_sha256",
        }
    ),
    renamed={"status": "decision_status"},
    nullable_key=frozenset({"task_id"}),
)
DISAGREEMENTS: Final = Table(
    "disagreements",
    "a dimension or claim of a run that its judges put in different categories",
    (*RUN_KEY, "dimension", "claim_id"),
    ("n_judges", "n_pass", "n_partial", "n_fail", "lowest_score", "highest_score", "opinions"),
    frozenset({"n_judges", "n_pass", "n_partial", "n_fail", "lowest_score", "highest_score", "opinions"}),
    nullable_key=frozenset({"dimension", "claim_id"}),
)
AGREEMENT: Final = Table(
    "agreement",
    "a measure of agreement of two judges, or of all of them (judge_a and judge_b null)",
    ("target", "judge_a", "judge_b", "scale", "statistic"),
    ("value", "ci_low", "ci_high", "n_items", "reason"),
    frozenset({"n_items"}),
    renamed={"value": "agreement"},
    nullable_key=frozenset({"judge_a", "judge_b"}),
)
JUDGED_CATEGORIES: Final = Table(
    "judged_categories",
    "a category of a subject, ready to be decided on",
    (*GROUP_KEY, "category_id"),
    ("title", "ordinal", "weight", "score", "int_score", "confidence", "is_required", "is_disputed"),
    frozenset({"title", "ordinal", "weight", "is_required", "is_disputed"}),
    renamed={"title": "category_title", "weight": "category_weight", "score": "category"},
    is_written=False,
    nullable_key=frozenset({"task_id"}),
)
FINDING_COUNTS: Final = Table(
    "finding_counts",
    "a category of a subject with findings of one severity",
    (*GROUP_KEY, "category_id", "severity"),
    ("n_findings",),
    frozenset({"n_findings"}),
    is_written=False,
    nullable_key=frozenset({"task_id"}),
)
REVIEW_QUEUE: Final = Table(
    "review_queue",
    "an item that a person should look at",
    ("rank",),
    (
        "review_value",
        "why",
        *RUN_KEY,
        "dimension",
        "claim_id",
        "question",
        "evidence",
        "stands",
        "score",
        "reasoning",
        "judge_id",
    ),
    frozenset({"review_value", "why", *RUN_KEY, "question", "stands"}),
    renamed={"score": "category"},
    is_written=False,
)
