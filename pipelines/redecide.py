"""`grade decide`: decide anew on scored groups, without scoring them again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.categories import JUDGED_RUN_COLUMNS
from grade.db import Database
from grade.dimensions import JUDGED
from grade.policy import Policy
from grade.schemas import CATEGORY_RESULTS, DECISIONS, FINDING_COUNTS
from grade.settings import DEFAULTS
from pipelines.deciding import Decided, decide_all
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.manifest import list_outputs, write_manifest
from pipelines.parquet import TableFiles
from pipelines.places import Place
from pipelines.shared_results import publishing
from pipelines.table_files import scan_table
from pipelines.telling import tell_decisions
from pipelines.write import replaced_folder

_READ: Final = ("task_scores", "run_scores", "verdicts", "rejects", "findings", "decisions")
_REWRITTEN: Final = ("results/", "scorecards/")


class Redecided(NamedTuple):
    """What a new decision says.

    Attributes:
        decisions: DECISIONS, with previous_status.
        n_changed: How many groups and models have another status now.
    """

    decisions: pl.DataFrame
    n_changed: int


def redecide(results: Place, policy: Policy, *, previous: pl.DataFrame | None = None) -> Redecided:
    """Decide on a result by a policy; it changes whole or not at all.

    Args:
        results: The result.
        policy: The policy.
        previous: What the new decisions are compared with; by default those in the folder.

    Raises:
        InputError: The folder is not a result, or lacks a table.
        OutputError: The folder cannot be written.
    """
    result = open_result(results)
    require_tables(result, _READ)
    before = result.frame("decisions") if previous is None else previous
    decided = _decided(result, policy, before)
    with _replaced(result) as folder:
        _carry_over(result, folder)
        with TableFiles(folder, (CATEGORY_RESULTS, DECISIONS)) as files:
            files.append("category_results", decided.category_results)
            files.append("decisions", decided.decisions)
        tell_decisions(folder, decided.decisions)
        write_manifest({**result.manifest, "policy": policy_entry(policy)}, folder)
    is_changed = pl.col("status") != pl.col("previous_status")
    return Redecided(decided.decisions, decided.decisions.filter(is_changed).height)


@contextmanager
def _replaced(result: ResultFolder) -> Iterator[Path]:
    if result.copy is None:
        with replaced_folder(result.path) as folder:
            yield folder
    else:
        with publishing(result.copy.place, base=result.copy.current) as (_, folder):
            yield folder


def policy_entry(policy: Policy) -> dict[str, Any]:
    """Return what the manifest says of the policy."""
    return {**policy.content, "sha256": policy.digest}


def _decided(result: ResultFolder, policy: Policy, before: pl.DataFrame) -> Decided:
    settings = result.manifest.get("method", {}).get("settings", {})
    with Database() as database:
        return decide_all(
            task_scores=result.frame("task_scores"),
            judged_runs=read_judged_runs(result),
            verdicts=result.frame("verdicts"),
            rejects=result.frame("rejects"),
            finding_counts=_finding_counts(result),
            policy=policy,
            confidence_threshold=settings.get("confidence_threshold", DEFAULTS.confidence_threshold),
            previous=before,
            database=database,
        )


def read_judged_runs(result: ResultFolder) -> pl.DataFrame:
    """Return `JUDGED_RUN_COLUMNS` of the judged dimensions of every run."""
    return (
        scan_table(result.files["run_scores"])
        .filter(pl.col("dimension").is_in(JUDGED))
        .select(JUDGED_RUN_COLUMNS)
        .collect()
    )


def _finding_counts(result: ResultFolder) -> pl.DataFrame:
    return (
        scan_table(result.files["findings"])
        .rename({"dimension": "category_id"})
        .group_by(FINDING_COUNTS.key)
        .agg(n_findings=pl.len().cast(pl.Int64))
        .select(FINDING_COUNTS.columns)
        .sort(FINDING_COUNTS.key)
        .collect()
    )


def _carry_over(result: ResultFolder, folder: Path) -> None:
    """Take the files that stay as they are into the new folder, linked where the system can."""
    made_anew = {f"{table.name}.parquet" for table in (CATEGORY_RESULTS, DECISIONS)}
    listed = set(result.manifest["outputs"])
    home = result.whole()
    for name in list_outputs(home):
        if name in made_anew or name not in listed:
            continue
        source, target = home / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith(_REWRITTEN):
            shutil.copyfile(source, target)
        else:
            _link(source, target)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
