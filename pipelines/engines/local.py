"""The usual engine: some threads of this process."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl

from grade.db import Database
from pipelines.groups import Tables, Work, complete, cut_piece, score_runs
from pipelines.progress import Progress
from pipelines.workers import in_order

SIDE_BY_SIDE: Final = 2
"""Slices that are worked on at once."""


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Works on two slices at once, each with all the threads of polars."""

    def make(
        self, slices: Iterable[pl.DataFrame], work: Work, *, threads: int | None, progress: Progress
    ) -> Generator[Tables]:
        """See `pipelines.engines.engine.Engine.make`."""
        del progress

        def make(index: pl.DataFrame, own: Database) -> Tables:
            piece = cut_piece(index, work)
            fresh, ground = piece.fresh, work.ground
            made = score_runs(fresh, piece.verdicts, ground, database=own) if fresh.height else None
            return complete(piece, made, work)

        workers = min(SIDE_BY_SIDE, threads or SIDE_BY_SIDE)
        yield from in_order(make, slices, workers=workers, threads=threads)
