"""Which texts hold which tokens, as arrays and sparse matrices."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from grade.text.encoding import Ints, firsts


def token_rows(texts: pl.Series, owners: pl.Series, token_ids: pl.Series) -> tuple[Ints, Ints]:
    """List the tokens of some texts.

    Args:
        texts: The texts wanted, by number; one may be wanted several times.
        owners: The text of each token, likewise; the tokens of a text are contiguous.
        token_ids: The tokens.

    Returns:
        For every token of every text wanted: the text's place in `texts`, and the token.
    """
    wanted, owner = texts.to_numpy(), owners.to_numpy()
    size = 1 + int(max(wanted.max(initial=0), owner.max(initial=0)))
    first = np.zeros(size, dtype=np.int32)
    opening = np.flatnonzero(firsts(owner))
    first[owner[opening]] = opening
    row, place = spread(first[wanted], np.bincount(owner, minlength=size)[wanted])
    token: Ints = token_ids.to_numpy()[place]
    return row, token


def spread(first: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Write ranges out: for every place in every range, which range it is and the place.

    >>> [part.tolist() for part in spread(np.array([5, 0]), np.array([2, 1]))]
    [[0, 0, 1], [5, 6, 0]]
    """
    row = np.repeat(np.arange(len(first), dtype=np.int32), length)
    shift = (first - (np.cumsum(length) - length)).astype(np.int32)
    return row, np.arange(len(row), dtype=np.int32) + shift[row]


def incidence(rows: Ints, columns: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a matrix of ones where rows and columns meet, once however often they do."""
    matrix = sparse.csr_array((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix
