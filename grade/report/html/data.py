"""What a report is made of: frames of one result folder, read and joined before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES

MEASURES: tuple[str, ...] = ("composite", *DIMENSIONS)
"""What reports show intervals of, in order."""

MEASURE_TITLES: Mapping[str, str] = {"composite": "Composite", **TITLES}
"""How reports name a measure."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report shows.

    Attributes:
        name: What is reported on.
        leaderboard: The view `leaderboard`, in its order.
        tasks: TASKS.
        task_scores: TASK_SCORES.
        track_scores: TRACK_SCORES.
        pack_scores: PACK_SCORES.
        intervals: INTERVALS.
        comparisons: COMPARISONS.
        misses: The view `fact_misses`.
        forbidden: The view `forbidden_claims_made`.
        unstable: The view `unstable_tasks`.
        coverage: The view `coverage`.
        decisions: DECISIONS.
        findings: FINDINGS.
        rejects: REJECTS.
        manifest: The result's manifest.
    """

    name: str
    leaderboard: pl.DataFrame
    tasks: pl.DataFrame
    task_scores: pl.DataFrame
    track_scores: pl.DataFrame
    pack_scores: pl.DataFrame
    intervals: pl.DataFrame
    comparisons: pl.DataFrame
    misses: pl.DataFrame
    forbidden: pl.DataFrame
    unstable: pl.DataFrame
    coverage: pl.DataFrame
    decisions: pl.DataFrame
    findings: pl.DataFrame
    rejects: pl.DataFrame
    manifest: Mapping[str, Any]

    @property
    def models(self) -> list[str]:
        """The models, in the order of the leaderboard."""
        return self.leaderboard["model_id"].to_list()
