"""One draw of the whole program, from which every pack takes its tables."""

from __future__ import annotations

import polars as pl

from pipelines.packs.program.draws import Draws
from pipelines.packs.program.outcomes import (
    make_events,
    make_progress,
    make_references,
    make_school_months,
    make_survey,
    make_survey_months,
)
from pipelines.packs.program.plan import Plan
from pipelines.packs.program.roster import (
    add_group_sizes,
    make_groups,
    make_program,
    make_schools,
    make_students,
    make_tutors,
)
from pipelines.packs.program.sessions import make_attendance, make_observations, make_sessions
from pipelines.packs.program.subgroups import (
    label_subgroups,
    make_school_iep,
    make_subgroup_attendance,
    make_subgroup_months,
    make_subgroup_outcomes,
)

Tables = dict[str, pl.DataFrame]


def draw_world(plan: Plan, seed: int) -> Tables:
    """Return every table of the program by name; the same plan and seed give the same tables."""
    draws = Draws(seed)
    operations = _operations(plan, draws)
    outcomes = _outcomes(plan, draws, operations)
    return operations | outcomes | _equity(plan, operations, outcomes)


def _operations(plan: Plan, draws: Draws) -> Tables:
    tutors = make_tutors(plan, draws)
    groups = make_groups(plan, tutors)
    students = make_students(plan, draws, groups)
    sessions = make_sessions(plan, draws, groups)
    return {
        "program": make_program(plan),
        "schools": make_schools(plan),
        "tutors": tutors,
        "groups": add_group_sizes(groups, students),
        "students": students,
        "sessions": sessions,
        "attendance": make_attendance(plan, draws, sessions=sessions, students=students),
        "observations": make_observations(plan, draws, tutors),
    }


def _outcomes(plan: Plan, draws: Draws, operations: Tables) -> Tables:
    students, attendance = operations["students"], operations["attendance"]
    progress = make_progress(
        plan, draws, students=students, groups=operations["groups"], attendance=attendance
    )
    return {
        "school_months": make_school_months(operations["sessions"], attendance),
        "survey_months": make_survey_months(make_survey(plan, draws, students)),
        "events": make_events(plan),
        "progress": progress,
    }


def _equity(plan: Plan, operations: Tables, outcomes: Tables) -> Tables:
    labels = label_subgroups(operations["students"])
    dates = operations["sessions"].select("session_id", month=pl.col("session_date").dt.strftime("%Y-%m"))
    records = operations["attendance"].join(dates, on="session_id")
    return {
        "subgroup_attendance": make_subgroup_attendance(plan, records, labels),
        "subgroup_months": make_subgroup_months(plan, records, labels),
        "school_iep": make_school_iep(plan, records, labels),
        "research": make_references(plan),
        "subgroup_outcomes": make_subgroup_outcomes(plan, outcomes["progress"], labels),
    }
