"""Stage usage: what judging cost, how many tokens it took and how long, apart from the models' own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import polars as pl

from grade.db import Database, opened
from grade.judging.tables import JUDGE_USAGE
from grade.schemas import check

_COLUMNS: Final = (
    "judge_id",
    "model_id",
    "verdict_key",
    "reply_state",
    "n_calls",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "latency_ms",
)


def summarise_judging(judgements: pl.DataFrame, *, database: Database | None = None) -> pl.DataFrame:
    """Sum up what judgements took.

    Args:
        judgements: JUDGEMENTS, or `Replayed.used`.
        database: An open database to use.

    Returns:
        JUDGE_USAGE: a row per judge (model_id null), and one per judge and model.
    """
    with opened(database) as db:
        told = db.query("judging/usage", {"judgements": judgements.select(_COLUMNS)})
    return check(told, JUDGE_USAGE, where="summarise_judging")


def describe_judging(usage: Iterable[Mapping[str, Any]]) -> list[str]:
    """Tell each judge's usage in a line, for a scorecard or a terminal.

    Args:
        usage: Rows of JUDGE_USAGE, one per judge.

    Examples:
        >>> describe_judging([])
        []
    """
    return [_sentence(row) for row in usage]


def _sentence(row: Mapping[str, Any]) -> str:
    tokens = f"{row['prompt_tokens']:,} tokens in and {row['completion_tokens']:,} out"
    parts = [f"{row['judge_id']}: {row['n_questions']:,} questions, {row['n_calls']:,} calls, {tokens}"]
    if row["cost_usd"] is None:
        parts.append("cost unknown")
    else:
        known = "" if row["n_costs"] == row["n_questions"] else f" for {row['n_costs']:,} of them"
        parts.append(f"{row['cost_usd']:.4f} USD{known}")
    if row["mean_latency_ms"] is not None:
        parts.append(f"{row['mean_latency_ms'] / 1000:.1f} s each")
    if row["n_unscored"]:
        parts.append(f"{row['n_unscored']:,} without a readable reply")
    return ", ".join(parts)
