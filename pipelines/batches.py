"""Cut runs into batches that keep every group whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from grade.schemas import GROUP_KEY

USUAL_BYTES: Final = 16_384
"""A run whose texts are longer counts as several when batches are cut, so that they stay small in memory."""


def cut_batches(
    runs: pl.DataFrame, *, batch_runs: int, n_bytes: pl.Expr | None = None
) -> Iterator[pl.DataFrame]:
    """Yield consecutive pieces of about `batch_runs` rows that never split a (model, task) group.

    Args:
        runs: RUNS, or the columns of its key with others, sorted by key.
        batch_runs: A batch begins with the first group after this many rows.
        n_bytes: The size of each run, where it is known; a long run counts as several.
    """
    n_runs = pl.len().cast(pl.Int64)
    excess = 0 if n_bytes is None else (n_bytes.cast(pl.Int64) // USUAL_BYTES).sum()
    groups = runs.group_by(GROUP_KEY, maintain_order=True).agg(n_runs=n_runs, weight=n_runs + excess)
    before = pl.col("weight").cum_sum() - pl.col("weight")
    ends = groups.with_columns(end=pl.col("n_runs").cum_sum(), batch=before // batch_runs)
    pieces = (
        ends.group_by("batch", maintain_order=True)
        .agg(pl.col("n_runs").sum(), pl.col("end").max())
        .select(start=pl.col("end") - pl.col("n_runs"), length="n_runs")
    )
    for start, length in pieces.rows():
        yield runs.slice(start, length)


def of_groups(rows: pl.DataFrame, batch: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that belong to a batch's groups, in their order."""
    groups = batch.select(GROUP_KEY).unique()
    return rows.join(groups, on=GROUP_KEY, how="semi", maintain_order="left")
