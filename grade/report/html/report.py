"""The report of a result folder as one HTML file."""

from __future__ import annotations

import polars as pl

from grade.report.html import conduct, evidence, levels, standing
from grade.report.html.data import ReportData
from grade.report.html.markup import Child
from grade.report.html.page import Assets, Section, render_page
from grade.report.html.tables import note


def render_report(data: ReportData, assets: Assets) -> str:
    """Return the report.

    Args:
        data: What it shows.
        assets: Style and script, from the files beside this module.
    """
    sections = [
        Section("leaderboard", "Leaderboard", standing.leaderboard(data.leaderboard)),
        Section("dimensions", "Dimensions", standing.dimensions(data)),
        Section("differences", "Differences", standing.comparisons(data)),
        Section("tasks", "Tasks", levels.heat_map(data)),
        Section("tracks", "Tracks", levels.tracks(data)),
        Section("packs", "Packs", levels.packs(data)),
        Section("facts", "Facts missed most", evidence.missed_facts(data)),
        Section("forbidden", "Forbidden claims", evidence.forbidden_claims(data)),
        Section("decisions", "Decisions", evidence.decisions(data)),
        Section("findings", "Findings", evidence.findings(data)),
        Section("stability", "Stability", conduct.stability(data)),
        Section("cost", "Cost and quality", conduct.spending(data)),
        Section("gaps", "Not measured", conduct.gaps(data)),
        Section("refused", "Refused records", conduct.refused(data)),
        Section("method", "Method", conduct.method(data)),
    ]
    return render_page(f"Report: {data.name}", _lead(data), sections, assets)


def _lead(data: ReportData) -> Child:
    n_runs = int(data.leaderboard["n_runs"].sum())
    n_tasks = data.task_scores["task_id"].n_unique()
    told = (
        f"{data.leaderboard.height:,} models, {n_runs:,} runs, {n_tasks} of {data.tasks.height} tasks"
        f" answered, {data.rejects.height:,} records refused. Scores run from 0 to 1; – is not measured."
    )
    partly = data.leaderboard.filter(pl.col("claims_judged") < 1).height
    warning = (
        f"For {partly} of {data.leaderboard.height} models some claim checks were judged by nobody:"
        " insights and caveats in other words count as missing there, and these models stand in"
        " sections of their own."
    )
    return [note(told), note(warning, kind="warning") if partly else None]
