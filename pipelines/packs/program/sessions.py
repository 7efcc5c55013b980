"""Sessions, attendance and observations: what happened during the term."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipelines.packs.program.draws import Draws, pick
from pipelines.packs.program.plan import Plan
from pipelines.packs.program.roster import identifiers, weekday_dates

COMPLETED = "completed"


def make_sessions(plan: Plan, draws: Draws, groups: pl.DataFrame) -> pl.DataFrame:
    """Return one row per scheduled session, in the order of date and group."""
    scheduled = (
        groups.with_columns(weekday=pl.col("weekdays").str.split(" "))
        .explode("weekday")
        .join(weekday_dates(plan), on="weekday")
        .sort("session_date", "group_id")
        .with_columns(month=pl.col("session_date").dt.strftime("%Y-%m"))
    )
    size = scheduled.height
    held = pl.Series(draws.uniform("cancelled", size)) >= _cancel_chance(plan)
    reasons = pl.Series(pick(draws.uniform("reason", size), plan.signals["cancel_reasons"]))
    notes = pl.Series(draws.uniform("notes", size)) < _notes_chance(plan)
    return scheduled.with_columns(
        session_id=pl.Series(identifiers("SES", size, width=4)),
        minutes_planned=pl.lit(plan.session_minutes),
        status=pl.when(held).then(pl.lit(COMPLETED)).otherwise(reasons),
        notes_logged=pl.when(held).then(notes),
    ).select(
        "session_id", "group_id", "tutor_id", "school_id", "session_date", "minutes_planned", "status",
        "notes_logged",
    )  # fmt: skip


def _cancel_chance(plan: Plan) -> pl.Expr:
    signals = plan.signals
    return (
        pl.lit(signals["cancel_base"])
        + pl.col("month").replace_strict(signals["cancel_month_shift"])
        + pl.when(pl.col("group_id") == signals["clash_group"]).then(signals["clash_shift"]).otherwise(0.0)
        + pl.when(pl.col("weekday") == "Fri").then(signals["friday_shift"]).otherwise(0.0)
    )


def _notes_chance(plan: Plan) -> pl.Expr:
    slow = pl.col("tutor_id") == plan.signals["notes_tutor"]
    return pl.lit(plan.signals["notes_base"]) + pl.when(slow).then(plan.signals["notes_shift"]).otherwise(0.0)


def make_attendance(
    plan: Plan, draws: Draws, *, sessions: pl.DataFrame, students: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per completed session and member on that day, attended or not."""
    leaning = students.with_columns(leaning=draw_leaning(draws, students) * plan.signals["student_spread"])
    expected = (
        sessions.filter(pl.col("status") == COMPLETED)
        .join(leaning.drop("school_id", "status"), on="group_id")
        .filter(
            pl.col("session_date") >= pl.col("enrolled_on"),
            pl.col("withdrawn_on").is_null() | (pl.col("session_date") < pl.col("withdrawn_on")),
        )
        .sort("session_id", "student_id")
        .with_columns(month=pl.col("session_date").dt.strftime("%Y-%m"))
    )
    size = expected.height
    attended = pl.Series(draws.uniform("attended", size)) < _attend_chance(plan)
    stay = np.where(
        draws.uniform("partial", size) < plan.signals["partial_stay"],
        15 + 5 * (draws.uniform("minutes", size) * 5).astype(np.int64),
        plan.session_minutes,
    )
    return expected.with_columns(attended=attended).select(
        "session_id",
        "student_id",
        "attended",
        minutes_present=pl.when("attended").then(pl.Series(stay)).otherwise(0),
    )


def draw_leaning(draws: Draws, students: pl.DataFrame) -> pl.Series:
    """Return how far each student leans towards attending, in standard deviations."""
    return pl.Series(draws.bell("leaning", students.height))


def _attend_chance(plan: Plan) -> pl.Expr:
    signals = plan.signals
    coached = pl.col("tutor_id") == signals["coaching_tutor"]
    chance = (
        pl.lit(signals["attendance_base"])
        + pl.col("leaning")
        + pl.col("month").replace_strict(signals["month_shift"])
        + pl.when("iep").then(signals["iep_shift"]).otherwise(0.0)
        + pl.when(coached).then(signals["coaching_shift"]).otherwise(0.0)
    )
    return chance.clip(0.2, 0.99)


def make_observations(plan: Plan, draws: Draws, tutors: pl.DataFrame) -> pl.DataFrame:
    """Return one row per observation and domain: a score from 1 (low) to 4 (high)."""
    visits = plan.signals["observations_per_tutor"]
    days = weekday_dates(plan)["session_date"]
    visited = tutors.select("tutor_id").join(pl.DataFrame({"visit": range(visits)}), how="cross")
    day = (draws.uniform("visit day", visited.height) + visited["visit"].to_numpy()) / visits * len(days)
    dated = (
        visited.with_columns(observed_on=days.gather(day.astype(np.int64)))
        .sort("observed_on", "tutor_id")
        .with_columns(observation_id=pl.Series(identifiers("OBS", visited.height)))
        .join(pl.DataFrame({"domain": plan.observation_domains}), how="cross")
    )
    coached = pl.col("tutor_id") == plan.signals["coaching_tutor"]
    level = (
        2.9
        + pl.col("domain").replace_strict(plan.signals["domain_shift"])
        + pl.when(coached).then(plan.signals["coaching_score_shift"]).otherwise(0.0)
        + pl.Series(draws.bell("score", dated.height)) * 0.6
    )
    score = (level + 0.5).floor().clip(1, 4).cast(pl.Int64)
    return dated.select("observation_id", "tutor_id", "observed_on", "domain", score=score)
