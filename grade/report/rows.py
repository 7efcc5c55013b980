"""Rows of tables as plain objects, by model: what reports are made of.

A report reads a few rows of one model. To make the rows of all models in one pass and pick some of
them with Python is many times cheaper than to query a frame once per model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

Row = Mapping[str, Any]


def rows_by_model(frame: pl.DataFrame) -> Mapping[str, Sequence[Row]]:
    """Return the rows of each model, in the order in which they stand; a model without rows has none.

    Args:
        frame: Any table with a model_id.

    >>> rows = rows_by_model(pl.DataFrame({"model_id": ["b", "a", "b"], "n": [1, 2, 3]}))
    >>> rows["b"], rows["c"]
    ([{'model_id': 'b', 'n': 1}, {'model_id': 'b', 'n': 3}], [])
    """
    return defaultdict(list, frame.rows_by_key("model_id", named=True, include_key=True))
