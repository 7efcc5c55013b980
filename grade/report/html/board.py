"""The leaderboard alone as a page."""

from __future__ import annotations

import polars as pl

from grade.report.html.page import Assets, Section, render_page
from grade.report.html.standing import leaderboard
from grade.report.html.tables import note


def render_board(standings: pl.DataFrame, assets: Assets) -> str:
    """Return the leaderboard as one HTML file.

    Args:
        standings: The view `leaderboard`.
        assets: Style and script.
    """
    lead = note(
        "Rank is 1 + the number of models whose 95 % interval lies wholly above; intervals come from"
        " resampling tasks. – is not measured, or for costs and times not reported."
    )
    section = Section("leaderboard", "Models", leaderboard(standings))
    return render_page("Leaderboard", lead, [section], assets)
