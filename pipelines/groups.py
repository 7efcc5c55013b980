"""Score the groups of a slice of the index: read their runs, score them, roll them up, find findings.

This is the unit of work: it depends on nothing but its groups, and any number of slices may be
worked on side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
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
from pipelines.segments import read_rows

Tables = dict[str, pl.DataFrame]
"""Frames of `GROUP_TABLES`, by name."""

_PLACE: Final = ("part", "row")


@dataclass(frozen=True, slots=True)
class Work:
    """What scoring a slice needs beside it.

    Attributes:
        parts: The folder of the store's parts.
        catalogue: The tasks.
        verdicts: VERDICTS of all runs.
        groups: GROUPS of all runs.
        earlier: Earlier results, whose rows are taken for groups that have not changed.
        gold_claims: GOLD_CLAIMS of the tasks.
    """

    parts: Path
    catalogue: Catalogue
    verdicts: pl.DataFrame
    groups: pl.DataFrame
    earlier: Earlier
    gold_claims: pl.DataFrame


def make_tables(index: pl.DataFrame, work: Work, *, database: Database) -> Tables:
    """Make the tables of some whole groups.

    Args:
        index: The run key, pack_id, track, part and row of the groups' runs, sorted by key.
        work: Everything else.
        database: An open database of this thread's own.
    """
    groups = of_groups(work.groups, index)
    known = work.earlier.known(groups)
    fresh = index.join(known, on=list(GROUP_KEY), how="anti", maintain_order="left")
    made = [work.earlier.take(known)] if known.height else []
    if fresh.height:
        made.append(_score(fresh, work, database))
    return {"groups": groups} | (made[0] if len(made) == 1 else _joined(made))


def load_runs(index: pl.DataFrame, parts: Path) -> pl.DataFrame:
    """Read the runs of a slice of the index as RUNS."""
    rows = read_rows(
        parts, index.select(_PLACE), tuple(name for name in RUNS.columns if name not in {"pack_id", "track"})
    )
    runs = rows.with_columns(index["pack_id"], index["track"]).select(RUNS.columns)
    return check(runs, RUNS, where="load_runs")


def _score(index: pl.DataFrame, work: Work, database: Database) -> Tables:
    runs = load_runs(index, work.parts)
    verdicts = of_groups(work.verdicts, runs)
    gold, catalogue = work.catalogue.gold, work.catalogue
    made = score_batch(runs, verdicts, gold=gold, catalogue=catalogue, database=database)
    task_scores = roll_up_tasks(
        made.run_scores, made.consistency, made.claim_checks, catalogue.table, database=database
    )
    findings = make_findings(
        runs,
        made.claim_checks,
        made.citation_checks,
        made.run_scores,
        verdicts,
        work.gold_claims,
    )
    return {"runs": runs, **made._asdict(), "task_scores": task_scores, "findings": findings}


def _joined(made: Sequence[Tables]) -> Tables:
    return {
        table.name: pl.concat([part[table.name] for part in made]).sort(table.key, maintain_order=True)
        for table in GROUP_TABLES
        if table is not GROUPS
    }
