"""Score the groups of a slice of the index: read their runs, score them, roll them up, find findings.

This is the unit of work: it depends on nothing but its groups, and any number of slices may be
worked on side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from grade.db import Database
from grade.findings import make_findings
from grade.rollup import roll_up_tasks
from grade.schemas import GROUP_KEY, GROUP_TABLES, GROUPS, RUNS, check
from pipelines.batch import score_batch
from pipelines.batches import of_groups
from pipelines.catalogue import Catalogue
from pipelines.earlier import Earlier
from pipelines.places import Place
from pipelines.segments import read_rows

Tables = dict[str, pl.DataFrame]
"""Frames of `GROUP_TABLES`, by name."""

_PLACE: Final = ("part", "row")


@dataclass(frozen=True, slots=True)
class Ground:
    """What scoring rests on beside runs and verdicts; the same for every slice.

    Attributes:
        parts: Where the store's parts lie.
        catalogue: The tasks.
        gold_claims: GOLD_CLAIMS of the tasks.
    """

    parts: Place
    catalogue: Catalogue
    gold_claims: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Work:
    """What making the tables of a slice needs beside it.

    Attributes:
        ground: What scoring rests on.
        verdicts: VERDICTS of all runs.
        groups: GROUPS of all runs.
        earlier: Earlier results, whose rows are taken for groups that have not changed.
    """

    ground: Ground
    verdicts: pl.DataFrame
    groups: pl.DataFrame
    earlier: Earlier


@dataclass(frozen=True, slots=True)
class Piece:
    """A slice, parted into what is known and what has to be scored.

    Attributes:
        groups: GROUPS of the slice.
        known: The groups that an earlier result has, see `Earlier.known`.
        fresh: The index of the runs of the other groups.
        verdicts: VERDICTS of the other groups.
    """

    groups: pl.DataFrame
    known: pl.DataFrame
    fresh: pl.DataFrame
    verdicts: pl.DataFrame


def cut_piece(index: pl.DataFrame, work: Work) -> Piece:
    """Part a slice of whole groups.

    Args:
        index: The run key, pack_id, track, part and row of the groups' runs, sorted by key.
        work: Everything else.
    """
    groups = of_groups(work.groups, index)
    known = work.earlier.known(groups)
    fresh = index.join(known, on=list(GROUP_KEY), how="anti", maintain_order="left")
    return Piece(groups, known, fresh, of_groups(work.verdicts, fresh))


def complete(piece: Piece, scored: Tables | None, work: Work) -> Tables:
    """Put what was scored together with what is known.

    Args:
        piece: The slice.
        scored: What `score_runs` made of its fresh runs; None where there are none.
        work: Everything else.
    """
    made = [work.earlier.take(piece.known)] if piece.known.height else []
    if scored is not None:
        made.append(scored)
    return {"groups": piece.groups} | (made[0] if len(made) == 1 else _joined(made))


def score_runs(index: pl.DataFrame, verdicts: pl.DataFrame, ground: Ground, *, database: Database) -> Tables:
    """Score whole groups: this is what engines do, wherever they do it.

    Args:
        index: As in `cut_piece`.
        verdicts: VERDICTS of these groups.
        ground: What scoring rests on.
        database: An open database of this thread's own.
    """
    runs = load_runs(index, ground.parts)
    gold, catalogue = ground.catalogue.gold, ground.catalogue
    made = score_batch(runs, verdicts, gold=gold, catalogue=catalogue, database=database)
    task_scores = roll_up_tasks(
        made.run_scores, made.consistency, made.claim_checks, catalogue.table, database=database
    )
    findings = make_findings(
        runs, made.claim_checks, made.citation_checks, made.run_scores, verdicts, ground.gold_claims
    )
    return {"runs": runs, **made._asdict(), "task_scores": task_scores, "findings": findings}


def load_runs(index: pl.DataFrame, parts: Place) -> pl.DataFrame:
    """Read the runs of a slice of the index as RUNS."""
    rows = read_rows(
        parts, index.select(_PLACE), tuple(name for name in RUNS.columns if name not in {"pack_id", "track"})
    )
    runs = rows.with_columns(index["pack_id"], index["track"]).select(RUNS.columns)
    return check(runs, RUNS, where="load_runs")


def _joined(made: Sequence[Tables]) -> Tables:
    return {
        table.name: pl.concat([part[table.name] for part in made]).sort(table.key, maintain_order=True)
        for table in GROUP_TABLES
        if table is not GROUPS
    }
