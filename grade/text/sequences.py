"""Find a token sequence inside another."""

from __future__ import annotations

import numpy as np
import polars as pl

from grade.text.encoding import Ints


def find_sequences(tokens: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Find every place where one text's tokens stand in a row inside another's.

    Args:
        tokens: text_id, token_id; rows of a text contiguous and in order.
        pairs: inner and outer, text ids.

    Returns:
        One row per place: inner, outer, start (position of the first token in the outer text),
        length (tokens of the inner text). An inner text without tokens stands nowhere.
    """
    rows = tokens.with_row_index("row")
    bounds = rows.group_by("text_id").agg(
        pl.col("row").min().cast(pl.Int64).alias("first"),
        pl.len().cast(pl.Int64).alias("length"),
        pl.col("token_id").first(),
    )
    stream = tokens["token_id"].to_numpy().astype(np.int32)
    inner = bounds.select(inner="text_id", inner_first="first", length="length", token_id="token_id")
    outer = bounds.select(outer="text_id", outer_first="first", outer_length="length")
    wanted = pairs.join(inner, on="inner").join(outer, on="outer")
    # Only where the first token stands can the whole sequence.
    starts = (
        rows.select("token_id", at=pl.col("row").cast(pl.Int64), outer="text_id")
        .join(wanted, on=["outer", "token_id"])
        .with_columns(start=pl.col("at") - pl.col("outer_first"))
        .filter(pl.col("start") + pl.col("length") <= pl.col("outer_length"))
        .sort("inner", "outer", "start")
    )
    alive = np.arange(starts.height, dtype=np.int32)
    length, left, right = (
        starts[name].to_numpy().astype(np.int32) for name in ("length", "inner_first", "at")
    )
    # Most starts fail early, so each step looks at fewer of them.
    for step in range(1, int(length.max()) if length.size else 0):
        alive = _agreeing(stream, alive, left, right, length, step)
    return starts[alive].select("inner", "outer", "start", "length")


def _agreeing(stream: Ints, alive: Ints, left: Ints, right: Ints, length: Ints, step: int) -> Ints:
    is_over = length[alive] <= step
    last = len(stream) - 1
    same = stream[np.minimum(left[alive] + step, last)] == stream[np.minimum(right[alive] + step, last)]
    kept: Ints = alive[is_over | same]
    return kept
