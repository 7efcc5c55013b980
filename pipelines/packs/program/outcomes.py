"""Benchmark scores, the student survey and other events: what the outcome tables are made from."""

from __future__ import annotations

import polars as pl

from pipelines.packs.program.draws import Draws
from pipelines.packs.program.plan import Plan
from pipelines.packs.program.sessions import draw_leaning


def make_progress(
    plan: Plan, draws: Draws, *, students: pl.DataFrame, groups: pl.DataFrame, attendance: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per enrolled student with records and both tests: minutes, band and scores.

    Students who lean towards attending start higher as well, so that a gain that goes with minutes
    says nothing about what the minutes did.
    """
    minutes = attendance.group_by("student_id").agg(minutes_received=pl.col("minutes_present").sum())
    size = students.height
    scored = (
        students.with_columns(
            leaning=draw_leaning(draws, students),
            start_noise=pl.Series(draws.bell("fall score", size)),
            gain_noise=pl.Series(draws.bell("gain", size)),
            tested=pl.Series(draws.uniform("tested", size)) < plan.benchmark["tested_share"],
        )
        .join(minutes, on="student_id", maintain_order="left")
        .join(groups.select("group_id", "subject"), on="group_id", maintain_order="left")
        .filter(pl.col("status") == "enrolled", pl.col("tested"))
    )
    return _score(plan, scored).select(
        "student_id", "school_id", "subject", "minutes_received", "dosage_band", "fall_score", "winter_score",
        "fall_proficient", "winter_proficient",
    )  # fmt: skip


def _score(plan: Plan, scored: pl.DataFrame) -> pl.DataFrame:
    b = plan.benchmark
    iep, grade = pl.col("iep").cast(pl.Float64), pl.col("grade")
    start = (
        b["start"]
        + b["per_grade"] * grade
        + b["iep_shift"] * iep
        + b["meal_shift"] * pl.col("meal_support").cast(pl.Float64)
        + b["leaning_points"] * pl.col("leaning")
        + b["spread"] * pl.col("start_noise")
    )
    gain = (
        b["gain"]
        + b["gain_per_minute"] * pl.col("minutes_received")
        + b["iep_gain_shift"] * iep
        + b["gain_spread"] * pl.col("gain_noise")
    )
    cut = b["proficient_start"] + b["per_grade"] * grade
    return (
        scored.with_columns(fall_score=_whole(start), dosage_band=_band(b["bands"]))
        .with_columns(winter_score=pl.col("fall_score") + _whole(gain))
        .with_columns(
            fall_proficient=pl.col("fall_score") >= cut,
            winter_proficient=pl.col("winter_score") >= cut + b["winter_rise"],
        )
    )


def _whole(value: pl.Expr) -> pl.Expr:
    return (value + 0.5).floor().cast(pl.Int64)


def _band(bands: dict[str, int]) -> pl.Expr:
    """Return the name of the highest band whose floor the minutes reach."""
    band = pl.lit(None, dtype=pl.String)
    for name, floor in sorted(bands.items(), key=lambda item: item[1]):
        band = pl.when(pl.col("minutes_received") >= floor).then(pl.lit(name)).otherwise(band)
    return band


def make_survey(plan: Plan, draws: Draws, students: pl.DataFrame) -> pl.DataFrame:
    """Return one row per student in a group and month: whether and how much the student enjoyed it."""
    months = list(plan.survey["month_shift"])
    asked = students.filter(pl.col("group_id").is_not_null(), pl.col("status") == "enrolled").join(
        pl.DataFrame({"month": months}), how="cross"
    )
    level = (
        plan.survey["level"]
        + pl.col("month").replace_strict(plan.survey["month_shift"])
        + pl.col("school_id").replace_strict(plan.survey["school_shift"], default=0.0)
        + pl.Series(draws.bell("enjoyment", asked.height)) * plan.survey["spread"]
    )
    answered = draws.uniform("responds", asked.height) < plan.survey["response_share"]
    score = (level + 0.5).floor().clip(1, 5).cast(pl.Int64)
    return asked.select(
        "student_id", "school_id", "month", enjoyment=pl.when(pl.Series(answered)).then(score)
    )


def make_survey_months(survey: pl.DataFrame) -> pl.DataFrame:
    """Return one row per school and month: students asked, answers, and the sum of their scores."""
    return (
        survey.group_by("school_id", "month")
        .agg(
            asked=pl.len().cast(pl.Int64),
            answers=pl.col("enjoyment").count().cast(pl.Int64),
            score_sum=pl.col("enjoyment").sum(),
        )
        .sort("school_id", "month")
    )


def make_school_months(sessions: pl.DataFrame, attendance: pl.DataFrame) -> pl.DataFrame:
    """Return one row per school and month: sessions, attendance records and minutes delivered."""
    dated = sessions.with_columns(month=pl.col("session_date").dt.strftime("%Y-%m"))
    held = dated.group_by("school_id", "month").agg(
        scheduled=pl.len().cast(pl.Int64),
        completed=(pl.col("status") == "completed").sum().cast(pl.Int64),
    )
    came = (
        attendance.join(dated.select("session_id", "school_id", "month"), on="session_id")
        .group_by("school_id", "month")
        .agg(
            records=pl.len().cast(pl.Int64),
            attended=pl.col("attended").sum().cast(pl.Int64),
            minutes_delivered=pl.col("minutes_present").sum(),
        )
    )
    return held.join(came, on=["school_id", "month"]).sort("school_id", "month")


def make_events(plan: Plan) -> pl.DataFrame:
    """Return one row per event: event_id, school_id, event_date, event."""
    return pl.DataFrame(list(plan.events))


def make_references(plan: Plan) -> pl.DataFrame:
    """Return one row per published study: who, when, how, on whom, and what it found."""
    columns = {
        "reference_id": pl.String, "authors": pl.String, "year": pl.Int64, "design": pl.String,
        "population": pl.String, "students": pl.Int64, "tutors": pl.String, "largest_group": pl.Int64,
        "minutes_per_week": pl.Int64, "attendance_floor": pl.Float64, "effect_sd": pl.Float64,
        "finding": pl.String, "caution": pl.String,
    }  # fmt: skip
    return pl.DataFrame(list(plan.references), schema=columns)
