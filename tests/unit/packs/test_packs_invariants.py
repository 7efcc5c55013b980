"""Each invariant holds in the shipped packs, and finds a fault that is planted for it."""

from __future__ import annotations

import datetime as dt
import json
import re

import polars as pl
import pytest

from pipelines.packs.files import read_table
from pipelines.packs.invariants import list_invariants, load_invariant, reads
from pipelines.packs.sandbox import Sandbox

EARLY, LATE = dt.date(2025, 8, 1), dt.date(2026, 3, 1)


def replace_cell(frame: pl.DataFrame, row: int, **values) -> pl.DataFrame:
    marked = frame.with_row_index("_row")
    here = pl.col("_row") == row
    return marked.with_columns(
        pl.when(here).then(pl.lit(value, dtype=frame.schema[name])).otherwise(pl.col(name)).alias(name)
        for name, value in values.items()
    ).drop("_row")


def row_of(frame, **values):
    matches = frame.with_row_index("_row").filter(**values)
    return matches["_row"][0]


def spoil(table, row=0, **values):
    return lambda tables: {table: replace_cell(tables[table], row, **values)}


def spoil_where(table, where, **values):
    return lambda tables: {table: replace_cell(tables[table], row_of(tables[table], **where), **values)}


def repeat(table):
    return lambda tables: {table: pl.concat([tables[table], tables[table].head(1)])}


FAULTS = {
    "attendance_after_enrolment": [
        spoil_where("students", {"student_id": "STU-0001"}, enrolled_on=LATE),
        spoil_where("students", {"student_id": "STU-0001"}, withdrawn_on=EARLY),
    ],
    "attendance_minutes": [
        spoil_where("attendance", {"attended": True}, minutes_present=0),
        spoil_where("attendance", {"attended": True}, minutes_present=46),
    ],
    "attendance_of_completed_sessions": [
        spoil_where("sessions", {"status": "completed"}, status="no_show"),
        spoil_where("sessions", {"status": "no_show"}, status="completed"),
    ],
    "attendance_of_members": [
        repeat("attendance"),
        spoil("attendance", student_id="STU-9999"),
        spoil_where("students", {"student_id": "STU-0001"}, group_id="GRP-031"),
    ],
    "enrolment_dates": [
        spoil("students", enrolled_on=LATE),
        spoil_where("students", {"status": "enrolled"}, status="withdrawn"),
        spoil_where("students", {"status": "withdrawn"}, withdrawn_on=EARLY),
    ],
    "events_within_term": [spoil("events", event_date=LATE), spoil("events", school_id="SCH-009")],
    "grades_fit_groups": [spoil("students", grade=3), spoil("students", group_id="GRP-099")],
    "grades_fit_schools": [spoil("students", grade=9), spoil("students", school_id="SCH-009")],
    "group_sizes": [spoil("groups", group_size=17)],
    "group_sizes_positive": [repeat("groups"), spoil("groups", group_size=0)],
    "month_counts": [
        spoil("school_months", completed=999),
        spoil("school_months", attended=9999),
        spoil("school_months", minutes_delivered=999_999),
    ],
    "months_complete": [
        repeat("school_months"),
        spoil("survey_months", month="2025-12"),
        lambda tables: {"school_months": tables["school_months"].tail(-1)},
    ],
    "notes_of_completed_sessions": [
        spoil_where("sessions", {"status": "completed"}, notes_logged=None),
        spoil_where("sessions", {"status": "no_show"}, notes_logged=True),
    ],
    "progress_bands": [
        repeat("progress"),
        spoil("progress", dosage_band="none"),
        spoil("progress", school_id="SCH-009"),
    ],
    "progress_minutes": [spoil("progress", minutes_received=999_999)],
    "references_complete": [
        repeat("research"),
        spoil("research", effect_sd=9.0),
        spoil("research", caution=None),
    ],
    "session_tutors_and_schools": [
        spoil("sessions", tutor_id="TUT-014"),
        spoil("sessions", school_id="SCH-004"),
        spoil("sessions", group_id="GRP-099"),
    ],
    "sessions_complete": [
        repeat("sessions"),
        lambda tables: {
            "sessions": tables["sessions"].filter(
                (pl.col("group_id") != "GRP-001") | (pl.col("session_date") < dt.date(2025, 11, 1))
            )
        },
    ],
    "sessions_within_term": [
        spoil("sessions", session_date=LATE),
        spoil("sessions", session_date=dt.date(2025, 9, 13)),
    ],
    "subgroup_months_agree": [
        spoil_where("subgroup_months", {"status": "reported"}, records=1),
        spoil_where("subgroup_months", {"status": "suppressed"}, status="reported"),
    ],
    "subgroup_totals_agree": [
        spoil_where("subgroup_attendance", {"dimension": "iep"}, students=99),
        spoil_where("subgroup_outcomes", {"dimension": "iep"}, fall_score_sum=99),
    ],
    "suppression_cannot_be_undone": [
        spoil_where("subgroup_attendance", {"subgroup": "students in settled housing"}, status="reported"),
        spoil_where("school_iep", {"status": "suppressed"}, status="reported"),
    ],
    "suppression_hides_counts": [
        spoil_where("subgroup_attendance", {"status": "suppressed"}, students=4),
        spoil_where("school_iep", {"status": "suppressed"}, records=70),
        spoil_where("subgroup_outcomes", {"status": "reported"}, students=9),
    ],
    "survey_counts": [spoil("survey_months", answers=999), spoil("survey_months", score_sum=1)],
    "tutors_of_school": [spoil("groups", tutor_id="TUT-014"), spoil("groups", tutor_id="TUT-099")],
}  # fmt: skip
CASES = [(name, number) for name, faults in FAULTS.items() for number in range(len(faults))]


@pytest.fixture(scope="module")
def pack_tables(built):
    """For each invariant, the tables of the first pack that names it."""
    found = {}
    for folder in sorted(built.iterdir()):
        tables = {path.stem: read_table(path) for path in folder.glob("*.csv")}
        for name in json.loads((folder / "manifest.json").read_bytes())["checks"]:
            found.setdefault(name, tables)
    return found


def broken_rows(name, tables):
    with Sandbox({table: tables[table] for table in reads(load_invariant(name))}) as sandbox:
        return sandbox.rows(load_invariant(name))


@pytest.mark.parametrize(("name", "number"), CASES)
def test_an_invariant_finds_its_fault(name, number, pack_tables):
    tables = pack_tables[name]
    assert broken_rows(name, tables | FAULTS[name][number](tables)) != []


def test_every_invariant_is_used_by_a_pack_and_tried_here(pack_tables):
    assert list_invariants() == sorted(pack_tables) == sorted(FAULTS)


@pytest.mark.parametrize("name", list_invariants())
def test_a_file_says_its_row_and_its_tables_and_ends_with_its_order(name):
    sql = load_invariant(name)
    lines = sql.splitlines()
    assert re.fullmatch(rf"-- {name}: one row per .+", lines[0])
    assert lines[1].startswith("-- Reads: ")
    code = re.sub(r"--.*", "", sql)
    assert ";" not in code
    assert re.search(r"\nORDER BY [^()]+\s*$", code)
    expressions = set(re.findall(r"(?:WITH|,)\s+(\w+) AS \(", code)) | {"generate_series"}
    used = set(re.findall(r"(?<!DISTINCT )\b(?:FROM|JOIN)\s+(\w+)", code)) - expressions
    assert used == set(reads(sql))


@pytest.mark.parametrize("name", ["../leaderboard", "no_such_check", "A", ""])
def test_only_our_own_invariants_load(name):
    assert load_invariant(name) is None
