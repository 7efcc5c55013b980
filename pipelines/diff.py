"""`grade diff`: compare two result folders, a range of models at a time, and write what changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.db import Database
from grade.desk_schemas import GOLD_CLAIMS, INTERVALS
from grade.diff.flips import find_claim_flips, find_decision_flips, find_fact_flips
from grade.diff.scores import (
    Flips,
    Levels,
    compare_groups,
    compare_models,
    compare_scores,
    summarise_changes,
)
from grade.diff.tables import DIFF_TABLES, GROUP_CHANGES
from grade.report.changes import READ, Changes, Listing, count_changes, render_changes
from grade.rollup import rank_models
from grade.schemas import (
    CLAIM_CHECKS,
    DECISIONS,
    FACT_CHECKS,
    OVERALL_SCORES,
    PACK_SCORES,
    RUN_KEY,
    TASK_SCORES,
    TRACK_SCORES,
    Table,
)
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.manifest import list_outputs
from pipelines.parquet import TableFiles
from pipelines.places import Place
from pipelines.progress import Progress
from pipelines.table_files import scan_table
from pipelines.write import MANIFEST, replaced_folder

MARKER: Final = "grade-diff"
"""Value of `format` in the manifest of a change report's folder."""

MODELS_AT_A_TIME: Final = 64
"""Models whose checks are held at once."""

_REPORT: Final = "changes.md"
_LEVELS: Final = (TASK_SCORES, TRACK_SCORES, PACK_SCORES, OVERALL_SCORES)
_READ: Final = ("runs", "decisions", "fact_checks", "claim_checks", *(table.name for table in _LEVELS))
_RUN_COUNTS: Final = (
    "runs in both results",
    "runs only in the old",
    "runs only in the new",
    "runs with other content",
)


class Difference(NamedTuple):
    """What a comparison tells.

    Attributes:
        counts: How much of what changed, in words.
        is_same: Nothing changed.
        report: The Markdown file.
    """

    counts: Mapping[str, int]
    is_same: bool
    report: Path


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What the ranges of models leave for the end."""

    groups: tuple[pl.DataFrame, ...] = (GROUP_CHANGES.empty(),)
    runs: tuple[tuple[int, ...], ...] = ()


def diff(old: Place, new: Place, out: Path, *, progress: Progress) -> Difference:
    """Compare two results and write tables and a report; the folder changes whole or not at all.

    Args:
        old: A result.
        new: Another one.
        out: Folder of the change report.
        progress: Where progress is told.

    Raises:
        InputError: A folder is no result, or lacks a table.
        OutputError: The report cannot be written.
    """
    results = open_result(old), open_result(new)
    for result in results:
        require_tables(result, _READ)
    with replaced_folder(out, marker=MARKER) as folder, Database() as database:
        with TableFiles(folder, DIFF_TABLES) as files:
            gathered = _compare_ranges(results, files, progress)
            groups = pl.concat(gathered.groups)
            models = compare_models(groups, *(_ranked(result, database) for result in results))
            summary = summarise_changes(groups, database=database)
            files.append("model_changes", models)
            files.append("change_summary", summary)
        changes = _changes(results, folder, models, summary, gathered, files.n_rows)
        (folder / _REPORT).write_text(render_changes(changes), encoding="utf-8")
        _write_manifest(folder)
    counts = count_changes(changes)
    is_same = not any(count for name, count in counts.items() if name != _RUN_COUNTS[0])
    return Difference(counts, is_same, out / _REPORT)


_Both = tuple[ResultFolder, ResultFolder]


def _compare_ranges(results: _Both, files: TableFiles, progress: Progress) -> _Gathered:
    models = sorted(set(_models(results[0])) | set(_models(results[1])))
    texts = [result.frame_or_empty(GOLD_CLAIMS) for result in results]
    groups, runs = [GROUP_CHANGES.empty()], []
    with progress.step("comparing", unit="models", total=len(models)) as advance:
        for first, last, size in _ranges(models):
            old, new = (_Part(result, first, last) for result in results)
            flips = Flips(
                find_fact_flips(old.frame(FACT_CHECKS), new.frame(FACT_CHECKS)),
                find_claim_flips(
                    old.frame(CLAIM_CHECKS), new.frame(CLAIM_CHECKS), old_claims=texts[0], new_claims=texts[1]
                ),
                find_decision_flips(old.frame(DECISIONS), new.frame(DECISIONS)),
            )
            levels = [Levels(*(part.frame(table) for table in _LEVELS)) for part in (old, new)]
            for name, frame in zip(("fact_flips", "claim_flips", "decision_flips"), flips, strict=True):
                files.append(name, frame)
            files.append("score_changes", compare_scores(*levels))
            groups.append(compare_groups(levels[0].task, levels[1].task, flips))
            runs.append(_count_runs(old.runs(), new.runs()))
            advance(size)
    return _Gathered(tuple(groups), tuple(runs))


class _Part(NamedTuple):
    """The rows of a range of models in one result."""

    result: ResultFolder
    first: str
    last: str

    def frame(self, table: Table) -> pl.DataFrame:
        """Read a table's rows; columns that an older result lacks are null."""
        scan = self._scan(table.name)
        there = scan.collect_schema()
        absent = [
            pl.lit(None, dtype).alias(name) for name, dtype in table.dtypes.items() if name not in there
        ]
        return scan.with_columns(absent).select(table.columns).collect()

    def runs(self) -> pl.DataFrame:
        """Read the keys and content hashes of runs."""
        return self._scan("runs").select(*RUN_KEY, "content_hash").collect()

    def _scan(self, name: str) -> pl.LazyFrame:
        near = pl.col("model_id").is_between(pl.lit(self.first), pl.lit(self.last))
        return scan_table(self.result.files[name]).filter(near)


def _ranges(models: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    for start in range(0, len(models), MODELS_AT_A_TIME):
        part = models[start : start + MODELS_AT_A_TIME]
        yield part[0], part[-1], len(part)


def _models(result: ResultFolder) -> list[str]:
    return result.frame("overall_scores", ["model_id"])["model_id"].to_list()


def _count_runs(old: pl.DataFrame, new: pl.DataFrame) -> tuple[int, ...]:
    both = old.join(new, on=list(RUN_KEY), how="inner", suffix="_new")
    n_other = both.filter(pl.col("content_hash") != pl.col("content_hash_new")).height
    return both.height, old.height - both.height, new.height - both.height, n_other


def _ranked(result: ResultFolder, database: Database) -> pl.DataFrame:
    return rank_models(
        result.frame("overall_scores"),
        result.frame("task_scores"),
        result.frame_or_empty(INTERVALS),
        database=database,
    )


def _changes(
    results: _Both,
    folder: Path,
    models: pl.DataFrame,
    summary: pl.DataFrame,
    gathered: _Gathered,
    n_rows: Mapping[str, int],
) -> Changes:
    names = [set(_models(result)) for result in results]
    listings = {
        name: Listing(scan_table(folder / f"{name}.parquet").head(READ).collect(), n_rows[name])
        for name in ("fact_flips", "claim_flips", "decision_flips")
    }
    return Changes(
        names=(str(results[0].place), str(results[1].place)),
        inputs=_made_with(results[0].manifest, results[1].manifest),
        runs=dict(zip(_RUN_COUNTS, map(sum, zip(*gathered.runs, strict=True)), strict=False)),
        only_old=sorted(names[0] - names[1]),
        only_new=sorted(names[1] - names[0]),
        models=models,
        summary=summary,
        facts=listings["fact_flips"],
        claims=listings["claim_flips"],
        decisions=listings["decision_flips"],
        n_scores=n_rows["score_changes"],
    )


def _made_with(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What the two manifests say of inputs, settings and versions, where it differs."""
    told = [_told(manifest) for manifest in (old, new)]
    return [
        (name, told[0].get(name, "unknown"), told[1].get(name, "unknown"))
        for name in sorted({*told[0], *told[1]})
        if told[0].get(name) != told[1].get(name)
    ]


def _told(manifest: Mapping[str, Any]) -> dict[str, str]:
    inputs, method = manifest.get("inputs", {}), manifest.get("method", {})
    files = {
        kind: f"{source.get('n_files')} files, hash {str(source.get('sha256'))[:12]}"
        for kind, source in inputs.items()
    }
    settings = {name: f"{value}" for name, value in method.get("settings", {}).items()}
    policy = manifest.get("policy", {})
    versions = {name: str(value) for name, value in manifest.get("versions", {}).items()}
    code = f"{manifest.get('grade_version')} ({str(manifest.get('code_sha256'))[:12]})"
    return (
        files
        | settings
        | versions
        | {"grade": code, "policy": f"{policy.get('name')} ({str(policy.get('sha256'))[:12]})"}
    )


def _write_manifest(folder: Path) -> None:
    manifest = {"format": MARKER, "outputs": list_outputs(folder)}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
