"""Lists of Python values as polars columns of a stated type, by way of Arrow.

Arrow takes lists of texts several times faster than polars does, and checks each value's type.
Offsets have 64 bits, so that a column of more than 2 GB does not overflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

import polars as pl
import pyarrow as pa


def text_column(values: Sequence[str | bytes | None]) -> pl.Series:
    """Return texts, or UTF-8 bytes, as a string column."""
    return _series(pa.array(values, pa.large_string()))


def integer_column(values: Sequence[int | None]) -> pl.Series:
    """Return integers as an Int64 column."""
    return _series(pa.array(values, pa.int64()))


def float_column(values: Sequence[float | None]) -> pl.Series:
    """Return floats as a Float64 column."""
    return _series(pa.array(values, pa.float64()))


def boolean_column(values: Sequence[bool | None]) -> pl.Series:
    """Return booleans as a Boolean column."""
    return _series(pa.array(values, pa.bool_()))


def list_column(lists: Sequence[Sequence[str | None]]) -> pl.Series:
    """Return lists of texts as a column of lists.

    Examples:
        >>> list_column([["a", "b"], []]).to_list()
        [['a', 'b'], []]
    """
    texts = pa.array(list(chain.from_iterable(lists)), pa.large_string())
    return _series(pa.LargeListArray.from_arrays(_offsets(map(len, lists)), texts))


def struct_column(lengths: Iterable[int], **fields: pl.Series) -> pl.Series:
    """Return a column of lists of structs.

    Args:
        lengths: Length of each list.
        fields: The fields of all structs, end to end.

    Examples:
        >>> struct_column([1, 0], a=pl.Series(["x"])).to_list()
        [[{'a': 'x'}], []]
    """
    structs = pa.StructArray.from_arrays([field.to_arrow() for field in fields.values()], names=list(fields))
    return _series(pa.LargeListArray.from_arrays(_offsets(lengths), structs))


def _offsets(lengths: Iterable[int]) -> pa.Array:
    return pa.array(list(accumulate(lengths, initial=0)), pa.int64())


def _series(array: pa.Array) -> pl.Series:
    series = pl.from_arrow(array)
    if not isinstance(series, pl.Series):  # pragma: no cover - an array is a column
        raise TypeError(type(series))
    return series
