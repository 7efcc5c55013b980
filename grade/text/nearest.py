"""The nearest marked token on either side of some places, each found in one pass over both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl


def last_before(places: pl.DataFrame, marks: pl.DataFrame, *, by: Sequence[str]) -> pl.DataFrame:
    """Join to each place the last mark that stands before it.

    Args:
        places: The columns `by`, position, and others.
        marks: The columns `by`, position, and others that `places` has not.
        by: What a place and its mark have in common, such as the sentence.

    Returns:
        The places, in any order, with the mark's columns, its position being `at`; null without a mark.
    """
    return _joined(places, marks, by, left_on="position", strategy="backward")


def first_after(places: pl.DataFrame, marks: pl.DataFrame, *, by: Sequence[str]) -> pl.DataFrame:
    """Join to each place, which ends at the token `last`, the first mark behind it; see `last_before`."""
    return _joined(places, marks, by, left_on="last", strategy="forward")


def _joined(places: pl.DataFrame, marks: pl.DataFrame, by: Sequence[str], **how: Any) -> pl.DataFrame:  # noqa: ANN401 - passed on
    ordered = marks.rename({"position": "at"}).sort("at")
    return places.sort(how["left_on"]).join_asof(
        ordered,
        right_on="at",
        by=list(by),
        allow_exact_matches=False,
        coalesce=False,
        check_sortedness=False,
        **how,
    )
