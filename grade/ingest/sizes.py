"""How many bytes the rows of an Arrow batch have once they are written out.

In a dictionary-encoded column a value stands once, however often it is used, so that a small file
may hold rows without end; what they would come to is counted here before they are made.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_FIXED: Final = 8
Sizes = npt.NDArray[np.int64]


def row_bytes(batch: pa.RecordBatch) -> Sizes:
    """Return the size of each row: the bytes of its texts, and eight for any other value.

    Examples:
        >>> row_bytes(pa.record_batch({"a": ["x", "xyz"], "b": [["xx", "x"], []]})).tolist()
        [12, 11]
    """
    total: Sizes = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        total += _sizes(column)
    return total


def _sizes(array: pa.Array) -> Sizes:
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _taken(_sizes(array.dictionary), array.indices)
    if pa.types.is_struct(kind):
        sizes: Sizes = np.zeros(len(array), dtype=np.int64)
        for field in array.flatten():
            sizes += _sizes(field)
        return sizes
    if pa.types.is_map(kind):
        return _within(_sizes(array.keys) + _sizes(array.items), array)
    if _is_list(kind):
        lists = array.cast(pa.large_list(kind.value_type))
        return _within(_sizes(lists.values), lists)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        text = array.cast(pa.large_string()) if pa.types.is_string_view(kind) else array
        return _numbers(pc.fill_null(pc.binary_length(text), 0))
    return np.full(len(array), _FIXED, dtype=np.int64)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _taken(sizes: Sizes, indices: pa.Array) -> Sizes:
    """The size of the value that each index means; nothing for a null."""
    places = _numbers(pc.fill_null(indices.cast(pa.int64()), -1))
    told: Sizes = np.append(sizes, 0)[places]
    return told


def _within(sizes: Sizes, array: pa.Array) -> Sizes:
    """The sizes of the values of each list, and of the list itself."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    offsets = _numbers(array.offsets)
    told: Sizes = ends[offsets[1:]] - ends[offsets[:-1]] + _FIXED
    return told


def _numbers(array: pa.Array) -> Sizes:
    numbers: Sizes = array.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers
