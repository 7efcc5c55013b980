"""Read what a report shows from a result folder, and write the report."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import polars as pl

from grade.decision_schemas import DECISIONS, FINDINGS
from grade.desk_schemas import COMPARISONS, INTERVALS
from grade.report.html.data import ReportData
from grade.report.html.page import Assets
from grade.report.html.report import render_report
from grade.schemas import REJECTS
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.desk.session import Session
from pipelines.places import Place
from pipelines.write import writing

_NEEDED = (
    "tasks",
    "runs",
    "task_scores",
    "track_scores",
    "pack_scores",
    "overall_scores",
    "intervals",
    "gold_facts",
)


def write_report(results: Place, html: Path) -> None:
    """Write the report of a result folder as one HTML file.

    Raises:
        InputError: There is no such folder, or it lacks a table.
        OutputError: The file cannot be written.
    """
    text = render_report(read_report(open_result(results)), load_assets())
    write_text(html, text)


def write_text(path: Path, text: str) -> None:
    """Write a text file, with an error that names it where the disk refuses.

    Raises:
        OutputError: The file cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def load_assets() -> Assets:
    """Read the style and the script that come with the package."""
    folder = files("grade.report.html")
    style, script = (folder.joinpath(f"report.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return Assets(style, script)


def read_report(result: ResultFolder) -> ReportData:
    """Read everything that a report shows.

    Raises:
        InputError: The folder lacks a table.
    """
    require_tables(result, _NEEDED)
    with Session(result) as session:
        return ReportData(
            name=result.name,
            leaderboard=_view(session, "leaderboard"),
            tasks=result.frame("tasks", ["task_id", "pack_id", "track", "title"]),
            task_scores=result.frame("task_scores"),
            track_scores=result.frame("track_scores"),
            pack_scores=result.frame("pack_scores"),
            intervals=result.frame_or_empty(INTERVALS),
            comparisons=result.frame_or_empty(COMPARISONS),
            misses=_view(session, "fact_misses"),
            forbidden=_view(session, "forbidden_claims_made"),
            unstable=_view(session, "unstable_tasks"),
            coverage=_view(session, "coverage"),
            decisions=result.frame_or_empty(DECISIONS),
            findings=result.frame_or_empty(FINDINGS),
            rejects=result.frame_or_empty(REJECTS),
            manifest=result.manifest,
        )


def _view(session: Session, name: str) -> pl.DataFrame:
    return session.select(f"FROM {name}")
