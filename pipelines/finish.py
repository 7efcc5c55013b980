"""Finish a result: what is made of all groups together, once their own tables are written."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import polars as pl

from grade.categories import JUDGED_RUN_COLUMNS
from grade.checks import require_sound
from grade.db import Database
from grade.dimensions import JUDGED
from grade.findings import count_findings
from grade.intervals import Uncertainty, estimate_uncertainty
from grade.levels import RollUps
from grade.look_alikes import find_look_alikes
from grade.report.gold_tables import gold_tables
from grade.rollup import rank_models, roll_up
from grade.schemas import FINDING_COUNTS, GROUP_TABLES, RESULT_TABLES, TASK_SCORES
from pipelines.catalogue import Catalogue
from pipelines.deciding import Decided, compare_judges, decide_all
from pipelines.earlier import vouch
from pipelines.files import name_of
from pipelines.fingerprints import code_digest
from pipelines.manifest import Input, Stage, build_manifest, list_outputs, relative_path, write_manifest
from pipelines.parquet import TableFiles
from pipelines.reading import ReadVerdicts, list_unread
from pipelines.redecide import policy_entry
from pipelines.reports import Scored, write_leaderboard, write_reports
from pipelines.store import Store
from pipelines.table_files import scan_table

if TYPE_CHECKING:
    from pipelines.score import ScoreRequest

_MADE: Final = ("fact_checks", "claim_checks", "citation_checks", "run_scores", "consistency", "findings")
_DECIDED: Final = ("category_results", "decisions", "disagreements", "agreement")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is scored.

    Attributes:
        catalogue: The tasks.
        store: The runs as read.
        index: The runs of known tasks: their keys, sizes and places in the store, pack_id and track.
        groups: GROUPS of these.
        verdicts: The verdicts as read.
        run_rejects: REJECTS of runs.
        verdict_rejects: REJECTS of verdicts.
        judging: JUDGE_USAGE of the verdicts that come from stores.
    """

    catalogue: Catalogue
    store: Store
    index: pl.DataFrame
    groups: pl.DataFrame
    verdicts: ReadVerdicts
    run_rejects: pl.DataFrame
    verdict_rejects: pl.DataFrame
    judging: pl.DataFrame

    @property
    def rejects(self) -> pl.DataFrame:
        """All refused records."""
        return pl.concat([self.run_rejects, self.verdict_rejects])


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the slices leave for the end; everything else is written as it is made.

    Attributes:
        task_scores: TASK_SCORES, a frame per slice.
        finding_counts: FINDING_COUNTS, per slice.
        n_reused: Groups taken from an earlier result.
        n_rows: Rows written, by table.
    """

    task_scores: tuple[pl.DataFrame, ...]
    finding_counts: tuple[pl.DataFrame, ...]
    n_reused: int
    n_rows: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def start(cls, *, n_reused: int) -> Self:
        """Return what is gathered before the first slice."""
        return cls((TASK_SCORES.empty(),), (FINDING_COUNTS.empty(),), n_reused)

    def with_slice(self, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Add the tables of a slice."""
        return replace(
            self,
            task_scores=(*self.task_scores, tables["task_scores"]),
            finding_counts=(*self.finding_counts, count_findings(tables["findings"])),
        )

    def ended(self, n_rows: Mapping[str, int]) -> Self:
        """Add how many rows were written."""
        return replace(self, n_rows=dict(n_rows))


def finish(
    request: ScoreRequest,
    inputs: Inputs,
    gathered: Gathered,
    folder: Path,
    *,
    started: datetime,
    database: Database,
) -> pl.DataFrame:
    """Roll up, rank, decide, and write every table, report and the manifest.

    Returns:
        The leaderboard, from `grade.rollup.rank_models`.
    """
    task_scores = pl.concat(gathered.task_scores)
    # Resampling keeps one core busy while the other writes reports.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="grade") as pool:
        resampled = pool.submit(estimate_uncertainty, task_scores)
        rolled = roll_up(task_scores, inputs.catalogue.table, database=database)
        decided = _decide(request, inputs, task_scores, gathered, folder, database)
        scored = Scored(task_scores, rolled, decided.decisions, inputs.judging, inputs.catalogue.tasks)
        write_reports(scored, folder, database=database)
        sure = resampled.result()
    with TableFiles(folder, [table for table in RESULT_TABLES if table not in GROUP_TABLES]) as files:
        for name, frame in _last_tables(inputs, rolled, sure, decided).items():
            files.append(name, frame)
    ranked = rank_models(rolled.overall, task_scores, sure.intervals, database=database)
    _require_sound(task_scores, rolled, decided, database)
    write_leaderboard(ranked, folder)
    manifest = build_manifest(
        inputs=_sources(request, inputs),
        settings=request.settings,
        code=code_digest(),
        stages=_stages(inputs, {**gathered.n_rows, **files.n_rows}),
        outputs=list_outputs(folder),
        out=request.out,
        started=started,
        ended=datetime.now(UTC),
    )
    write_manifest(manifest | _about(request, inputs, gathered, folder), folder)
    return ranked


def _about(request: ScoreRequest, inputs: Inputs, gathered: Gathered, folder: Path) -> dict[str, Any]:
    about: dict[str, Any] = {
        "policy": policy_entry(request.policy),
        "look_alike_models": find_look_alikes(inputs.index["model_id"]),
        "judging": inputs.judging.filter(pl.col("model_id").is_null()).drop("model_id").to_dicts(),
    }
    if request.told_below is not None:
        about["told_below"] = relative_path(str(request.told_below), request.out)
    reuse = {"groups": gathered.n_rows["groups"], "reused": gathered.n_reused}
    return {**about, "reuse": reuse, **vouch(folder)}


def _decide(
    request: ScoreRequest,
    inputs: Inputs,
    task_scores: pl.DataFrame,
    gathered: Gathered,
    folder: Path,
    database: Database,
) -> Decided:
    runs = scan_table(folder / "run_scores.parquet").filter(pl.col("dimension").is_in(list(JUDGED)))
    return decide_all(
        task_scores=task_scores,
        judged_runs=runs.select(JUDGED_RUN_COLUMNS).collect(),
        verdicts=inputs.verdicts.verdicts,
        rejects=inputs.verdict_rejects,
        finding_counts=pl.concat(gathered.finding_counts),
        policy=request.policy,
        confidence_threshold=request.settings.confidence_threshold,
        database=database,
    )


def _last_tables(
    inputs: Inputs, rolled: RollUps, sure: Uncertainty, decided: Decided
) -> dict[str, pl.DataFrame]:
    wanted = gold_tables(inputs.catalogue.tasks)
    judges = compare_judges(inputs.verdicts.verdicts)
    return {
        "tasks": inputs.catalogue.table,
        "gold_facts": wanted.facts,
        "gold_claims": wanted.claims,
        "rejects": inputs.rejects,
        "verdicts": inputs.verdicts.verdicts,
        "track_scores": rolled.track,
        "pack_scores": rolled.pack,
        "overall_scores": rolled.overall,
        "intervals": sure.intervals,
        "comparisons": sure.comparisons,
        "category_results": decided.category_results,
        "decisions": decided.decisions,
        "disagreements": judges.disagreements,
        "agreement": judges.agreement,
        "judge_usage": inputs.judging,
    }


def _require_sound(task_scores: pl.DataFrame, rolled: RollUps, decided: Decided, database: Database) -> None:
    tables = {
        "task_scores": task_scores,
        "track_scores": rolled.track,
        "pack_scores": rolled.pack,
        "overall_scores": rolled.overall,
        "category_results": decided.category_results,
        "decisions": decided.decisions,
    }
    require_sound(tables, database=database)


def _sources(request: ScoreRequest, inputs: Inputs) -> tuple[Input, ...]:
    below, packs = request.told_below, request.packs
    runs, verdicts = request.runs or (str(request.store),), request.verdicts
    # A pack may be named by its folder, which the path as given need not show.
    folder = {"folder": "/".join(packs.resolve().parts[-2:])}
    unread = [{"unread": list_unread(rejects)} for rejects in (inputs.run_rejects, inputs.verdict_rejects)]
    store = inputs.store
    added = {"additions": [one._asdict() for one in store.additions]} if request.store else {}
    places = store.places if request.store else {}
    return (
        Input("packs", (packs.as_posix(),), inputs.catalogue.inputs, below, folder),
        Input("runs", tuple(map(name_of, runs)), store.inputs, below, {**unread[0], **added}, places),
        Input("verdicts", tuple(map(name_of, verdicts)), inputs.verdicts.inputs, below, unread[1]),
    )


def _stages(inputs: Inputs, n_rows: Mapping[str, int]) -> tuple[Stage, ...]:
    levels = ("track_scores", "pack_scores", "overall_scores")
    n_runs, groups = inputs.index.height, {"task_scores": n_rows["task_scores"]}
    return (
        *_reading_stages(inputs),
        Stage(
            "score",
            {"runs": n_runs, "verdicts": inputs.verdicts.verdicts.height},
            {name: n_rows[name] for name in _MADE},
            {"runs": n_runs - n_rows["runs"]},
        ),
        Stage("roll_up_tasks", {"groups": n_rows["consistency"]}, groups, {}),
        Stage("roll_up", groups, {name: n_rows[name] for name in levels}, {}),
        Stage("decide", groups, {name: n_rows[name] for name in _DECIDED}, {}),
    )


def _reading_stages(inputs: Inputs) -> tuple[Stage, ...]:
    store, read = inputs.store, inputs.verdicts
    return (
        Stage("read_tasks", {}, {"tasks": len(inputs.catalogue.tasks)}, {}),
        Stage(
            "read_runs",
            {"records": store.n_records},
            {"runs": inputs.index.height},
            {
                "rejects": inputs.run_rejects.height,
                "duplicates": store.n_duplicates,
                "replaced": store.n_replaced,
            },
        ),
        Stage(
            "read_verdicts",
            {"records": read.n_records},
            {"verdicts": read.verdicts.height},
            {"rejects": read.rejects.height, "duplicates": read.n_duplicates},
        ),
    )
