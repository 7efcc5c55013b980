"""What roll-ups and the stages after them share: the dimensions as a table, the levels above a task."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES, WEIGHTS


class RollUps(NamedTuple):
    """The three levels above a task.

    Attributes:
        track: TRACK_SCORES, one row per model and track.
        pack: PACK_SCORES, one row per model and pack.
        overall: OVERALL_SCORES, one row per model.
    """

    track: pl.DataFrame
    pack: pl.DataFrame
    overall: pl.DataFrame


def dimension_frame() -> pl.DataFrame:
    """Return the locked weights as the `dimensions` table that the queries join on.

    Returns:
        One row per dimension: dimension, ordinal (its place in every report), weight (percent)
        and title.
    """
    return pl.DataFrame(
        {
            "dimension": DIMENSIONS,
            "ordinal": range(len(DIMENSIONS)),
            "weight": [WEIGHTS[key] for key in DIMENSIONS],
            "title": [TITLES[key] for key in DIMENSIONS],
        },
        schema={"dimension": pl.String, "ordinal": pl.Int64, "weight": pl.Int64, "title": pl.String},
    )
