"""`grade export --to report`: one structured-evaluation report for each model and task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.errors import InputError
from grade.findings import KINDS
from grade.hints import nearest
from grade.ingest.reports import read_report
from grade.report.evaluation import (
    build_report,
    category_rows,
    decision_rows,
    finding_rows,
    report_object,
)
from grade.report.filenames import file_stem
from grade.schemas import GROUP_KEY
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.places import Place
from pipelines.write import writing

_READ: Final = ("category_results", "findings", "decisions", "tasks", "runs")


class ReportTables(NamedTuple):
    """The rows that exported reports were made of.

    Attributes:
        category_results: CATEGORY_RESULTS.
        findings: FINDINGS.
        decisions: DECISIONS of groups.
    """

    category_results: pl.DataFrame
    findings: pl.DataFrame
    decisions: pl.DataFrame


def export_report(
    results: Place, out: Path, model: str | None = None, task: str | None = None
) -> tuple[Path, ...]:
    """Write the reports of a result as JSON files `<model>__<task>.report.json`.

    Args:
        results: The result folder.
        out: The folder for the reports; made if it is not there.
        model: Only this model.
        task: Only this task.

    Returns:
        The files, sorted.

    Raises:
        InputError: The folder is no result, or holds no such model or task.
        OutputError: A file cannot be written.
    """
    result = open_result(results)
    require_tables(result, _READ)
    decisions = _chosen(result.frame("decisions").drop_nulls("task_id"), model, task)
    paths = []
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for name, report in _reports(result, decisions):
            path = out / name
            text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False)
            path.write_text(text + "\n", encoding="utf-8")
            paths.append(path)
    return tuple(paths)


def read_reports(folder: Path) -> ReportTables:
    """Read exported reports back into the rows that they were made of.

    Args:
        folder: What `export_report` wrote.
    """
    reports = [read_report(path.read_bytes()) for path in sorted(folder.glob("*.report.json"))]
    return ReportTables(category_rows(reports), finding_rows(reports), decision_rows(reports))


def _reports(result: ResultFolder, decisions: pl.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
    parts = {
        name: _of(result.frame(name), decisions).partition_by(GROUP_KEY, as_dict=True, maintain_order=True)
        for name in ("category_results", "findings")
    }
    titles = dict(result.frame("tasks", ["task_id", "title"]).rows())
    made_at = _newest(result)
    program = f"grade {result.manifest.get('grade_version', '')}".strip()
    for decision in decisions.rows(named=True):
        key = (decision["model_id"], decision["task_id"])
        rows = {name: part[key].rows(named=True) if key in part else [] for name, part in parts.items()}
        report = build_report(
            decision,
            rows["category_results"],
            rows["findings"],
            title=titles.get(key[1], key[1]),
            generated_at=made_at.get(key) or result.manifest.get("started_utc", ""),
            generated_by=program,
            policy=result.manifest.get("policy", {}),
            advice={code: kind.advice for code, kind in KINDS.items()},
        )
        yield f"{file_stem(key[0])}__{file_stem(key[1])}.report.json", report_object(report)


def _newest(result: ResultFolder) -> dict[tuple[str, str], str | None]:
    """The newest answer of each group dates its report, so that the same result gives the same bytes."""
    runs = result.frame("runs", [*GROUP_KEY, "timestamp_utc"])
    newest = runs.group_by(GROUP_KEY).agg(pl.col("timestamp_utc").max())
    return {(model, task): stamp for model, task, stamp in newest.rows()}


def _of(frame: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    return frame.join(decisions, on=list(GROUP_KEY), how="semi", maintain_order="left")


def _chosen(decisions: pl.DataFrame, model: str | None, task: str | None) -> pl.DataFrame:
    for column, wanted in (("model_id", model), ("task_id", task)):
        if wanted is None:
            continue
        known = decisions[column].unique().sort().to_list()
        if wanted not in known:
            raise InputError(
                f"the result has no such {column.removesuffix('_id')}",
                got=wanted,
                expected=", ".join(known[:10]),
                hint=nearest(wanted, known),
            )
        decisions = decisions.filter(pl.col(column) == wanted)
    return decisions
