"""The instance file of a model: one line per run and dimension that was scored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from grade.expressions.verdicts import PASS, category_of_unit
from grade.report.eee.aggregate import SCHEMA_VERSION
from grade.schemas import RUN_KEY

_TOLD: Final = ("dimension", "source", "pack_id", "adapter_version", "timestamp_utc", "finish_reason")


def question_rows(tasks: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Return what each task asks, and the gold facts that its answers are held against.

    Args:
        tasks: TASKS.
        facts: GOLD_FACTS.

    Returns:
        One row per task: task_id, user_prompt, reference (claims of the gold facts), sample_hash.
    """
    gold = facts.group_by("task_id", maintain_order=True).agg(reference="claim_text")
    asked = tasks.select("task_id", "user_prompt").join(gold, on="task_id", how="left", maintain_order="left")
    rows = [(task, prompt, reference or []) for task, prompt, reference in asked.rows()]
    return pl.DataFrame(
        [(*row, _sample_hash(row[1], row[2])) for row in rows],
        schema={
            "task_id": pl.String,
            "user_prompt": pl.String,
            "reference": pl.List(pl.String),
            "sample_hash": pl.String,
        },
        orient="row",
    )


def instance_lines(
    runs: pl.DataFrame, run_scores: pl.DataFrame, questions: pl.DataFrame, evaluation: str
) -> pl.Series:
    """Return JSON objects as text, sorted by run and dimension; a run without a score has none.

    Args:
        runs: RUNS of one model.
        run_scores: RUN_SCORES of these runs.
        questions: From `question_rows`.
        evaluation: The id of the model's evaluation.
    """
    scored = run_scores.filter(pl.col("score").is_not_null())
    rows = (
        scored.rename({"flags": "score_flags"})
        .join(runs, on=list(RUN_KEY), how="inner", maintain_order="left")
        .join(questions, on="task_id", how="inner", maintain_order="left")
    )
    return rows.select(line=_struct(_members(evaluation)).struct.json_encode())["line"]


def _members(evaluation: str) -> dict[str, pl.Expr]:
    scope = pl.format("grade.task.{}", "task_id")
    return {
        "schema_version": pl.lit(SCHEMA_VERSION),
        "evaluation_id": pl.lit(evaluation),
        "model_id": pl.col("model_id"),
        "evaluation_name": scope,
        "evaluation_result_id": pl.format("{}/{}", scope, "dimension"),
        "sample_id": pl.col("task_id"),
        "sample_hash": pl.col("sample_hash"),
        "interaction_type": pl.lit("single_turn"),
        "input": pl.struct(raw="user_prompt", reference="reference"),
        "output": pl.struct(raw=pl.concat_list(_answer())),
        "answer_attribution": pl.concat_list(_attribution()),
        "evaluation": pl.struct(score="score", is_correct=category_of_unit(pl.col("score")) == PASS),
        "token_usage": _tokens(),
        "performance": pl.when(pl.col("latency_ms").is_not_null()).then(pl.struct("latency_ms")),
        "metadata": _struct(
            {
                "run_index": pl.col("run_index").cast(pl.String),
                "track": pl.col("track").cast(pl.String),
                "flags": pl.col("score_flags").list.join(" "),
                **{name: pl.col(name).fill_null("") for name in _TOLD},
            }
        ),
    }


def _struct(members: Mapping[str, pl.Expr]) -> pl.Expr:
    return pl.struct([expression.alias(name) for name, expression in members.items()])


def _structured() -> pl.Expr:
    """The answer's fields as one JSON text."""
    return pl.struct("key_findings", "limitations", "structured_metrics").struct.json_encode()


def _answer() -> pl.Expr:
    return pl.col("raw_response_text").fill_null(_structured())


def _attribution() -> pl.Expr:
    return pl.struct(
        turn_idx=pl.lit(0),
        source=pl.lit("output.raw"),
        extracted_value=_structured(),
        extraction_method=pl.lit("custom"),
        is_terminal=pl.lit(value=True),
    )


def _tokens() -> pl.Expr:
    asked, said = pl.col("prompt_tokens"), pl.col("completion_tokens")
    usage = pl.struct(input_tokens=asked, output_tokens=said, total_tokens=asked + said)
    return pl.when(asked.is_not_null() & said.is_not_null()).then(usage)


def _sample_hash(prompt: str, reference: list[Any]) -> str:
    """Hash a question as the format's converters do, so that the same question has the same hash."""
    text = json.dumps({"raw": prompt, "reference": reference}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
