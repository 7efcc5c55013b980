"""The settings of the fictional program, read from `content/program.toml`."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class School:
    """One school of the program.

    Args:
        school_id: Identifier, such as SCH-001.
        school_name: Name on the door.
        grade_low: Lowest grade taught.
        grade_high: Highest grade taught.
        students: Students who ever enrolled in the program here.
        waiting: Of those, how many wait for a group.
        iep_students: Of those, how many have an IEP.
        groups: Tutoring groups.
        tutors: Tutors.
    """

    school_id: str
    school_name: str
    grade_low: int
    grade_high: int
    students: int
    waiting: int
    iep_students: int
    groups: int
    tutors: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Everything the generator is told; the rest is drawn.

    Args:
        name: Name of the program.
        first_day: First day with sessions.
        last_day: Last day with sessions.
        days_off: Days within those dates on which no session is scheduled.
        session_minutes: Planned length of a session, in minutes.
        sessions_per_week: Planned sessions of a group per week.
        weekday_pairs: Weekdays on which a group may meet.
        tutor_roles: Roles, dealt to the tutors in turn.
        observation_domains: What a tutoring observation scores.
        goals: What the program aims at, by the name of its column.
        schools: The schools, in the order of their identifiers.
        subgroups: Exact sizes of student groups.
        signals: Planted probabilities and shifts.
        benchmark: How benchmark scores come about.
        survey: How answers to the student survey come about.
        events: What else happened, one row each.
        references: Published studies, one row each.
    """

    name: str
    first_day: dt.date
    last_day: dt.date
    days_off: tuple[dt.date, ...]
    session_minutes: int
    sessions_per_week: int
    weekday_pairs: tuple[tuple[str, str], ...]
    tutor_roles: tuple[str, ...]
    observation_domains: tuple[str, ...]
    goals: dict[str, float]
    schools: tuple[School, ...]
    subgroups: dict[str, Any]
    signals: dict[str, Any]
    benchmark: dict[str, Any]
    survey: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    references: tuple[dict[str, Any], ...]


def load_plan(path: Path) -> Plan:
    """Return the plan written in a TOML file."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return Plan(
        name=raw["name"],
        first_day=raw["first_day"],
        last_day=raw["last_day"],
        days_off=tuple(raw["days_off"]),
        session_minutes=raw["session_minutes"],
        sessions_per_week=raw["sessions_per_week"],
        weekday_pairs=tuple((first, second) for first, second in raw["weekday_pairs"]),
        tutor_roles=tuple(raw["tutor_roles"]),
        observation_domains=tuple(raw["observation_domains"]),
        goals=raw["goals"],
        schools=tuple(School(**school) for school in raw["schools"]),
        subgroups=raw["subgroups"],
        signals=raw["signals"],
        benchmark=raw["benchmark"],
        survey=raw["survey"],
        events=tuple(raw["events"]),
        references=tuple(raw["references"]),
    )
