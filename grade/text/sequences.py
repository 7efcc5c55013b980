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
    bounds = (
        tokens.with_row_index("row")
        .group_by("text_id")
        .agg(first=pl.col("row").min().cast(pl.Int64), length=pl.len().cast(pl.Int64))
    )
    stream = tokens["token_id"].to_numpy()
    inner = bounds.select(inner="text_id", inner_first="first", length="length")
    outer = bounds.select(outer="text_id", outer_first="first", outer_length="length")
    fitting = pairs.join(inner, on="inner", maintain_order="left").join(
        outer, on="outer", maintain_order="left"
    )
    starts = (
        fitting.filter(pl.col("length") <= pl.col("outer_length"))
        .with_columns(start=pl.int_ranges(pl.col("outer_length") - pl.col("length") + 1))
        .explode("start")
    )
    alive = np.arange(starts.height)
    length = starts["length"].to_numpy()
    left = starts["inner_first"].to_numpy()
    right = (starts["outer_first"] + starts["start"]).to_numpy()
    # Most starts fail at their first token, so each step looks at fewer of them.
    for step in range(int(length.max()) if length.size else 0):
        alive = _agreeing(stream, alive, left, right, length, step)
    return starts[alive].select("inner", "outer", "start", "length")


def _agreeing(stream: Ints, alive: Ints, left: Ints, right: Ints, length: Ints, step: int) -> Ints:
    is_over = length[alive] <= step
    last = len(stream) - 1
    same = stream[np.minimum(left[alive] + step, last)] == stream[np.minimum(right[alive] + step, last)]
    return alive[is_over | same]
