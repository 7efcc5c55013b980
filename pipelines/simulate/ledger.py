"""Count what was planted: the yardstick for what the scorer finds."""

from __future__ import annotations

from typing import Any

import polars as pl

from pipelines.simulate.models import ERRORS, SimulatedModel

Json = dict[str, Any]

PLANTED = {
    "model_id": pl.String,
    "task_id": pl.String,
    "run_index": pl.Int64,
    "error": pl.String,
    "target": pl.String,
    "happened": pl.Boolean,
}
"""Columns of the table of opportunities, one row each."""


def summarise(model: SimulatedModel, opportunities: pl.DataFrame) -> Json:
    """Return a model's intended rate, opportunities, planted errors and realised rate, by error."""
    counted = (
        opportunities.filter(pl.col("model_id") == model.model_id)
        .group_by("error")
        .agg(opportunities=pl.len(), planted=pl.col("happened").sum())
    )
    counts = {error: (seen, planted) for error, seen, planted in counted.iter_rows()}
    return {error: _line(model.rates.get(error, 0.0), *counts.get(error, (0, 0))) for error in ERRORS}


def _line(rate: float, opportunities: int, planted: int) -> Json:
    realised = round(planted / opportunities, 4) if opportunities else None
    return {"rate": rate, "opportunities": opportunities, "planted": planted, "realised": realised}
