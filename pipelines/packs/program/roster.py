"""Schools, tutors, groups and students: who takes part in the program."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl

from pipelines.packs.program.draws import Draws
from pipelines.packs.program.plan import Plan, School


def identifiers(prefix: str, count: int, *, width: int = 3) -> list[str]:
    """Return `count` identifiers: PRE-001, PRE-002 and so on."""
    return [f"{prefix}-{number:0{width}d}" for number in range(1, count + 1)]


def make_program(plan: Plan) -> pl.DataFrame:
    """Return the one row of the program: its name, dates, plan of sessions and goals."""
    return pl.DataFrame(
        {
            "program_name": [plan.name],
            "first_day": [plan.first_day],
            "last_day": [plan.last_day],
            "weeks": [weekday_dates(plan)["session_date"].dt.truncate("1w").n_unique()],
            "sessions_per_week": [plan.sessions_per_week],
            "session_minutes": [plan.session_minutes],
            **{goal: [value] for goal, value in plan.goals.items()},
        }
    )


def make_schools(plan: Plan) -> pl.DataFrame:
    """Return one row per school: school_id, school_name, grade_low, grade_high."""
    return pl.DataFrame(
        [
            {
                "school_id": school.school_id,
                "school_name": school.school_name,
                "grade_low": school.grade_low,
                "grade_high": school.grade_high,
            }
            for school in plan.schools
        ]
    )


def make_tutors(plan: Plan, draws: Draws) -> pl.DataFrame:
    """Return one row per tutor: tutor_id, school_id, role, years_tutoring."""
    schools = [school.school_id for school in plan.schools for _ in range(school.tutors)]
    size = len(schools)
    roles = np.array(plan.tutor_roles)[np.arange(size) % len(plan.tutor_roles)]
    return pl.DataFrame(
        {
            "tutor_id": identifiers("TUT", size),
            "school_id": schools,
            "role": list(roles),
            "years_tutoring": (draws.uniform("tutor years", size) * 9).astype(np.int64),
        }
    )


def make_groups(plan: Plan, tutors: pl.DataFrame) -> pl.DataFrame:
    """Return one row per group: who tutors it, its subject, grade and weekdays.

    A group belongs to one school and one grade; a school's groups go round its tutors, grades and
    weekday pairs in turn.
    """
    rows = pl.concat([_school_groups(school) for school in plan.schools])
    numbered = tutors.with_columns(pl.int_range(pl.len()).over("school_id").alias("tutor_turn"))
    pairs = [f"{first} {second}" for first, second in plan.weekday_pairs]
    return (
        rows.with_columns(group_id=pl.Series(identifiers("GRP", rows.height)))
        .join(numbered.select("school_id", "tutor_id", "tutor_turn"), on=["school_id", "tutor_turn"])
        .with_columns(
            subject=pl.when(pl.col("turn") % 2 == 0).then(pl.lit("reading")).otherwise(pl.lit("math")),
            weekdays=pl.lit(pl.Series(pairs)).gather(pl.col("turn") * 3 % len(pairs)),
        )
        .sort("group_id")
        .select("group_id", "school_id", "tutor_id", "subject", "grade", "weekdays")
    )


def _school_groups(school: School) -> pl.DataFrame:
    turn = np.arange(school.groups)
    grades = school.grade_high - school.grade_low + 1
    return pl.DataFrame(
        {
            "school_id": [school.school_id] * school.groups,
            "turn": turn,
            "tutor_turn": turn % school.tutors,
            "grade": school.grade_low + turn % grades,
        }
    )


def make_students(plan: Plan, draws: Draws, groups: pl.DataFrame) -> pl.DataFrame:
    """Return one row per student who ever enrolled, with attributes, group, status and dates."""
    places = pl.concat([_school_places(school) for school in plan.schools])
    turns = groups.with_columns(group_turn=pl.int_range(pl.len()).over("school_id"))
    size = places.height
    return (
        places.join(
            turns.select("school_id", "group_turn", "group_id", "grade"),
            on=["school_id", "group_turn"],
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.col("grade").fill_null(pl.col("spare_grade")),
            student_id=pl.Series(identifiers("STU", size, width=4)),
            iep_draw=pl.Series(draws.uniform("iep", size)),
        )
        .with_columns(iep=pl.col("iep_draw").rank("ordinal").over("school_id") <= pl.col("iep_students"))
        .with_columns(**_attributes(plan, draws, size))
        .with_columns(**_dates(plan, draws, size))
        .select(
            "student_id", "school_id", "group_id", "grade", "iep", "home_language", "meal_support",
            "temporary_housing", "status", "enrolled_on", "withdrawn_on",
        )
    )  # fmt: skip


def _school_places(school: School) -> pl.DataFrame:
    """Return one row per student: the group in turn, none for those who wait."""
    place = pl.int_range(school.students, eager=True)
    placed = school.students - school.waiting
    grades = school.grade_high - school.grade_low + 1
    return pl.DataFrame({"place": place}).select(
        school_id=pl.lit(school.school_id),
        iep_students=pl.lit(school.iep_students),
        group_turn=pl.when(pl.col("place") < placed).then(pl.col("place") % school.groups),
        spare_grade=school.grade_low + pl.col("place") % grades,
    )


def _attributes(plan: Plan, draws: Draws, size: int) -> dict[str, pl.Series]:
    languages: dict[str, int] = plan.subgroups["languages"]
    spoken = [name for name, count in languages.items() for _ in range(count)]
    spoken += ["English"] * (size - len(spoken))
    return {
        "home_language": pl.Series(spoken).gather(draws.ranks("home language", size)),
        "meal_support": pl.Series(draws.ranks("meals", size) < plan.subgroups["meal_support_students"]),
        "temporary_housing": pl.Series(
            draws.ranks("housing", size) < plan.subgroups["temporary_housing_students"]
        ),
    }


def _dates(plan: Plan, draws: Draws, size: int) -> dict[str, pl.Expr]:
    """Return status and dates; nobody both enrolled late and left, and those who wait stay."""
    late = draws.ranks("late", size) < plan.subgroups["late_students"]
    late_days = 7 + (draws.uniform("late days", size) * 28).astype(np.int64)
    early_days = 5 + (draws.uniform("early days", size) * 20).astype(np.int64)
    left_days = 28 + (draws.uniform("left days", size) * 42).astype(np.int64)
    turn = pl.when(pl.col("group_id").is_not_null()).then(pl.Series(draws.uniform("left", size) + late))
    leaves = (turn.rank("ordinal") <= plan.subgroups["withdrawn_students"]).fill_null(value=False)
    start = pl.lit(plan.first_day)
    return {
        "status": pl.when(leaves).then(pl.lit("withdrawn")).otherwise(pl.lit("enrolled")),
        "enrolled_on": start + pl.duration(days=pl.lit(pl.Series(np.where(late, late_days, -early_days)))),
        "withdrawn_on": pl.when(leaves).then(start + pl.duration(days=pl.lit(pl.Series(left_days)))),
    }


def add_group_sizes(groups: pl.DataFrame, students: pl.DataFrame) -> pl.DataFrame:
    """Return the groups with `group_size`: members who are enrolled on the last day."""
    members = (
        students.filter(pl.col("status") == "enrolled")
        .group_by("group_id")
        .agg(group_size=pl.len().cast(pl.Int64))
    )
    return groups.join(members, on="group_id", how="left", maintain_order="left").with_columns(
        pl.col("group_size").fill_null(0)
    )


def weekday_dates(plan: Plan) -> pl.DataFrame:
    """Return one row per day on which sessions may be held: session_date, weekday."""
    days = pl.date_range(plan.first_day, plan.last_day, dt.timedelta(days=1), eager=True)
    return (
        pl.DataFrame({"session_date": days})
        .filter(~pl.col("session_date").is_in(list(plan.days_off)))
        .with_columns(weekday=pl.col("session_date").dt.strftime("%a"))
    )
