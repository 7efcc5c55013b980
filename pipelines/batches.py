"""Cut runs into batches that keep every group whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import polars as pl

from grade.schemas import GROUP_KEY

_SMALL: Final = 1_000
"""Rows below which a piece costs more than working on it alone gains."""

USUAL_BYTES: Final = 16_384
"""A run whose texts are longer counts as several when batches are cut, so that they stay small in memory."""


def cut_batches(
    runs: pl.DataFrame, *, batch_runs: int, n_bytes: pl.Expr | None = None, side_by_side: int = 1
) -> Iterator[pl.DataFrame]:
    """Yield consecutive pieces of about the same size that never split a (model, task) group.

    Args:
        runs: RUNS, or the columns of its key with others, sorted by key.
        batch_runs: Most rows of a piece, but for those that complete its last group.
        n_bytes: The size of each run, where it is known; a long run counts as several.
        side_by_side: How many pieces are worked on at once; their number is a multiple of it, unless
            they would be small.
    """
    n_runs = pl.len().cast(pl.Int64)
    excess = 0 if n_bytes is None else (n_bytes.cast(pl.Int64) // USUAL_BYTES).sum()
    groups = runs.group_by(GROUP_KEY, maintain_order=True).agg(n_runs=n_runs, weight=n_runs + excess)
    before = pl.col("weight").cum_sum() - pl.col("weight")
    size = _even_size(int(groups["weight"].sum()), batch_runs, side_by_side)
    ends = groups.with_columns(end=pl.col("n_runs").cum_sum(), batch=before // size)
    pieces = (
        ends.group_by("batch", maintain_order=True)
        .agg(pl.col("n_runs").sum(), pl.col("end").max())
        .select(start=pl.col("end") - pl.col("n_runs"), length="n_runs")
    )
    for start, length in pieces.rows():
        yield runs.slice(start, length)


def _even_size(total: int, most: int, side_by_side: int) -> int:
    """The size of equal pieces of at most `most` rows.

    >>> _even_size(26_000, 10_000, 2), _even_size(26_000, 10_000, 1), _even_size(900, 10_000, 2)
    (6500, 8667, 900)
    """
    n_pieces = max(1, math.ceil(total / most))
    if total >= _SMALL * side_by_side:
        n_pieces = math.ceil(n_pieces / side_by_side) * side_by_side
    return max(1, math.ceil(total / n_pieces))


def of_groups(rows: pl.DataFrame, batch: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that belong to a batch's groups, in their order."""
    groups = batch.select(GROUP_KEY).unique()
    return rows.join(groups, on=GROUP_KEY, how="semi", maintain_order="left")
