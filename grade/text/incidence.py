"""Which texts hold which tokens, as arrays and sparse matrices."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from grade.text.encoding import Ints


def token_rows(texts: pl.Series, owners: pl.Series, token_ids: pl.Series) -> tuple[Ints, Ints]:
    """List the tokens of some texts.

    Args:
        texts: The texts wanted; one may be wanted several times.
        owners: The text of each token; the tokens of a text are contiguous.
        token_ids: The tokens.

    Returns:
        For every token of every text wanted: the text's place in `texts`, and the token.
    """
    owner = owners.to_numpy()
    first = np.flatnonzero(np.diff(owner, prepend=owner[:1] + np.uint32(1)))
    bounds = pl.DataFrame(
        {"text": owner[first], "first": first, "length": np.diff(first, append=len(owner))},
        schema_overrides={"text": pl.UInt32, "first": pl.Int32, "length": pl.Int32},
    )
    found = texts.to_frame("text").join(bounds, on="text", how="left", maintain_order="left").fill_null(0)
    length, begin = found["length"].to_numpy(), found["first"].to_numpy()
    row = np.repeat(np.arange(found.height, dtype=np.int32), length)
    shift = begin - (np.cumsum(length, dtype=np.int32) - length)
    token: Ints = token_ids.to_numpy()[np.arange(len(row), dtype=np.int32) + shift[row]]
    return row, token


def incidence(rows: Ints, columns: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a matrix of ones where rows and columns meet, once however often they do."""
    matrix = sparse.csr_array((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix
