"""Dictionary-encode a string column: each distinct text once, and a code per row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


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


def bytes_of(texts: pl.Series) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the UTF-8 of all texts in a row, and where each begins, with the end of the last.

    >>> data, stops = bytes_of(pl.Series(["ab", "", "c"]))
    >>> bytes(data), stops.tolist()
    (b'abc', [0, 2, 2, 3])
    """
    array = texts.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    _, stops, data = array.buffers()
    places = np.frombuffer(stops, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data, dtype=np.uint8)[places[0] : places[-1]], places - places[0]


def encode_pieces(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> tuple[pl.Series, Ints]:
    """Cut UTF-8 into pieces that follow on each other, and encode these as `encode` does.

    >>> values, codes = encode_pieces(np.frombuffer(b"a b a ", dtype=np.uint8), np.array([2, 4, 6]))
    >>> values.to_list(), codes.tolist()
    (['a ', 'b '], [0, 1, 0])
    """
    stops = pa.py_buffer(np.concatenate([np.zeros(1, np.int64), ends]))
    pieces = pa.LargeStringArray.from_buffers(len(ends), stops, pa.py_buffer(data)).dictionary_encode()
    return pl.Series(pieces.dictionary), pieces.indices.to_numpy()


def lookup(values: pl.Series, codes: Ints) -> npt.NDArray[np.generic]:
    """Return the value that belongs to each code, as an array."""
    return values.to_numpy()[codes]


def flags_of(values: pl.Series, codes: Ints) -> Flags:
    """Return the flag that belongs to each code, as an array."""
    return lookup(values, codes).astype(np.bool_, copy=False)


def flags_at(places: npt.NDArray[np.integer], size: int) -> Flags:
    """Return `size` flags that are set at some places."""
    flags = np.zeros(size, dtype=np.bool_)
    flags[places] = True
    return flags


def firsts(owners: Ints) -> Flags:
    """Return which rows open a run of equal owners."""
    opens: Flags = np.ones(len(owners), dtype=np.bool_)
    opens[1:] = owners[1:] != owners[:-1]
    return opens


def places_within(owners: Ints) -> Ints:
    """Return the place of each row among the rows of its owner, from 0; an owner's rows are contiguous.

    >>> places_within(np.array([4, 4, 2, 7, 7], dtype=np.int32)).tolist()
    [0, 1, 0, 0, 1]
    """
    row = np.arange(len(owners), dtype=np.int32)
    places: Ints = row - np.maximum.accumulate(np.where(firsts(owners), row, np.int32(0)))
    return places


def _grouped(texts: pl.Series, keys: pl.Series) -> tuple[pl.Series, Ints]:
    encoded = keys.to_arrow(compat_level=pl.CompatLevel.oldest()).dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int32)
    first = np.empty(len(encoded.dictionary), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return texts.gather(pl.Series(first)), codes
