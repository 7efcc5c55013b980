"""Dictionary-encode a string column: each distinct text once, and a code per row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int32]


def encode(texts: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the distinct texts in order of first appearance, and each row's place among them.

    Rows are grouped by a 64-bit hash, which is many times faster than by text, and then compared
    with the text of their group; should two texts share a hash, the texts themselves are grouped.

    Args:
        texts: A string column without nulls.

    >>> values, codes = encode(pl.Series(["b", "a", "b"]))
    >>> values.to_list(), codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    values, codes = _grouped(texts, texts.hash())
    if (values.gather(pl.Series(codes)) == texts).all():
        return values, codes
    return _grouped(texts, texts)


def _grouped(texts: pl.Series, keys: pl.Series) -> tuple[pl.Series, Ints]:
    rows = pl.DataFrame({"key": keys}).with_row_index("row")
    distinct = rows.group_by("key").agg(pl.col("row").min()).sort("row").with_row_index("code")
    codes = rows.join(distinct.select("key", "code"), on="key", how="left", maintain_order="left")["code"]
    return texts.gather(distinct["row"]), codes.to_numpy().astype(np.int32)
