"""Stage usage: what each model's runs cost, how many tokens they took and how long."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.db import Database, opened

USAGE_COLUMNS: Final = (
    "model_id",
    "task_id",
    "timestamp_utc",
    "latency_ms",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
)
"""The columns of RUNS that `summarise_usage` reads."""


def summarise_usage(runs: pl.DataFrame, *, database: Database | None = None) -> pl.DataFrame:
    """Sum up what runs report of themselves.

    Args:
        runs: `USAGE_COLUMNS` of all runs.
        database: An open database to use; one is opened and closed if none is given.

    Returns:
        One row per model (task_id null) and one per model and task: n_runs, newest_utc, n_costs
        (runs that report a cost), cost_usd (null when none does), n_token_counts, prompt_tokens,
        completion_tokens, mean_latency_ms, p50_latency_ms, max_latency_ms.
    """
    with opened(database) as db:
        return db.query("usage", {"runs": runs.select(USAGE_COLUMNS)})
