"""The tables of judging: the plan's questions, the stored judgements and what is told about judges."""

from __future__ import annotations

from typing import Final

from grade.table import RUN_KEY, Table

QUESTION_KEY: Final = (*RUN_KEY, "dimension", "claim_id")
_QUESTION_NULLS: Final = frozenset({"dimension", "claim_id"})

JUDGE_ITEMS: Final = Table(
    "judge_items",
    "something that a judge may be asked about the answers to a task",
    ("task_id", "dimension", "claim_id"),
    ("kind", "template", "template_text", "task_text", "subject"),
    frozenset({"kind", "template", "template_text", "task_text", "subject"}),
    renamed={"kind": "question_kind"},
    is_written=False,
    nullable_key=_QUESTION_NULLS,
)
QUESTIONS: Final = Table(
    "questions",
    "a question to a judge about a run",
    (*QUESTION_KEY, "repeat"),
    (
        "kind",
        "question_key",
        "template",
        "system_prompt",
        "prompt",
        "answer_text",
        "answer_is_cut",
        "estimated_tokens",
    ),
    frozenset(
        {
            "kind",
            "question_key",
            "template",
            "system_prompt",
            "prompt",
            "answer_text",
            "answer_is_cut",
            "estimated_tokens",
        }
    ),
    renamed={"kind": "question_kind"},
    nullable_key=_QUESTION_NULLS,
)
JUDGEMENTS: Final = Table(
    "judgements",
    "a judge's answer to a question, as it is stored",
    ("verdict_key",),
    (
        "question_key",
        "repeat",
        "kind",
        *QUESTION_KEY,
        "template",
        "judge_id",
        "judge_model",
        "served_model",
        "parameters",
        "reply_state",
        "problem",
        "score",
        "int_score",
        "confidence",
        "reasoning",
        "quotes",
        "missing_quotes",
        "flags",
        "raw_replies",
        "finish_reason",
        "n_calls",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "latency_ms",
        "asked_utc",
    ),
    frozenset(
        {
            "question_key",
            "repeat",
            "kind",
            *RUN_KEY,
            "template",
            "judge_id",
            "judge_model",
            "parameters",
            "reply_state",
            "quotes",
            "missing_quotes",
            "flags",
            "raw_replies",
            "n_calls",
            "asked_utc",
        }
    ),
    renamed={
        "kind": "question_kind",
        "score": "category",
        "cost_usd": "judging_cost_usd",
        "latency_ms": "judging_latency_ms",
    },
)
JUDGE_USAGE: Final = Table(
    "judge_usage",
    "what a judge's stored verdicts took, on all models (model_id null) and on each",
    ("judge_id", "model_id"),
    (
        "n_questions",
        "n_repaired",
        "n_unscored",
        "n_calls",
        "prompt_tokens",
        "completion_tokens",
        "n_costs",
        "cost_usd",
        "mean_latency_ms",
        "p50_latency_ms",
        "max_latency_ms",
    ),
    frozenset(
        {
            "n_questions",
            "n_repaired",
            "n_unscored",
            "n_calls",
            "prompt_tokens",
            "completion_tokens",
            "n_costs",
        }
    ),
    renamed={"cost_usd": "judging_cost_usd"},
    nullable_key=frozenset({"model_id"}),
)
JUDGE_STANDING: Final = Table(
    "judge_standing",
    "how a judge's stored verdicts stand to a result; judge_id null is all judges together",
    ("judge_id",),
    ("n_answered", "n_unscored", "n_missing", "n_stale", "n_orphaned"),
    frozenset({"n_answered", "n_unscored", "n_missing", "n_stale", "n_orphaned"}),
    nullable_key=frozenset({"judge_id"}),
)
JUDGE_VALIDITY: Final = Table(
    "judge_validity",
    "a judge's verdicts on labelled checks of a kind; judge_id null is the checks as scored",
    ("judge_id", "kind"),
    (
        "n_checks",
        "n_true_positive",
        "n_false_positive",
        "n_false_negative",
        "n_true_negative",
        *(
            name + ending
            for name in ("precision", "recall", "f1", "accuracy")
            for ending in ("", "_low", "_high")
        ),
        "n_confident",
        "calibration_error",
        "calibration_error_low",
        "calibration_error_high",
    ),
    frozenset(
        {
            "kind",
            "n_checks",
            "n_true_positive",
            "n_false_positive",
            "n_false_negative",
            "n_true_negative",
            "accuracy",
            "n_confident",
        }
    ),
    renamed={"kind": "labelled_kind"},
    nullable_key=frozenset({"judge_id"}),
)
JUDGE_RELIABILITY: Final = Table(
    "judge_reliability",
    "a tenth of the confidence scale of a judge's verdicts on labelled checks of a kind",
    ("judge_id", "kind", "bin"),
    ("bin_low", "bin_high", "n_checks", "mean_confidence", "accuracy", "accuracy_low", "accuracy_high"),
    frozenset(
        {"bin_low", "bin_high", "n_checks", "mean_confidence", "accuracy", "accuracy_low", "accuracy_high"}
    ),
    renamed={"kind": "labelled_kind"},
)
JUDGING_TABLES: Final[tuple[Table, ...]] = (
    JUDGE_ITEMS,
    QUESTIONS,
    JUDGEMENTS,
    JUDGE_USAGE,
    JUDGE_STANDING,
    JUDGE_VALIDITY,
    JUDGE_RELIABILITY,
)
"""The tables of judging: the plan, the store and what is told about judges."""
