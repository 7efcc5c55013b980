"""Citations against what the task allows and the pack ships; what cannot be told is null."""

from __future__ import annotations

import polars as pl
import pytest

from grade.citations import check_citations
from grade.schemas import CITATION_CHECKS, RUNS, TASKS, check

INPUTS = {
    "T-1": ["students.csv", "data/sessions.csv", "truth.json"],
    "T-2": ["students.csv"],
    "T-3": ["away.csv"],
}
PACKS = {"T-1": "pack_a", "T-2": "pack_b", "T-3": "pack_a"}
HEADERS = pl.DataFrame(
    [
        ("pack_a", "students.csv", "student_id"),
        ("pack_a", "students.csv", "school_id"),
        ("pack_a", "sessions.csv", "Status"),
        ("pack_a", "truth.json", None),
        ("pack_a", "extra.csv", "note"),
    ],
    schema=["pack_id", "source_file", "source_column"],
    orient="row",
)
IDENTIFIERS = pl.DataFrame({"pack_id": ["pack_a", "pack_a"], "identifier": ["sch-001", "tut-005"]})


def checked(*citations, task_id="T-1"):
    blank = {"citation_text": "rows", "source_file": None, "source_column": None, "grounded": None}
    run = dict.fromkeys(RUNS.columns) | {"model_id": "m", "task_id": task_id, "run_index": 0}
    run |= {"pack_id": PACKS[task_id], "evidence_citations": [blank | citation for citation in citations]}
    tasks = [
        dict.fromkeys(TASKS.columns) | {"task_id": name, "pack_id": PACKS[name], "allowed_inputs": inputs}
        for name, inputs in INPUTS.items()
    ]
    return check_citations(
        pl.DataFrame([run], schema=RUNS.dtypes),
        pl.DataFrame(tasks, schema=TASKS.dtypes),
        HEADERS,
        IDENTIFIERS,
    )


def of_one(citation, task_id="T-1"):
    names = ("file_allowed", "column_exists", "unknown_ids", "grounded")
    return checked(citation, task_id=task_id).select(names).row(0)


@pytest.mark.parametrize(
    ("file", "column", "expected"),
    [
        ("students.csv", "school_id", (True, True, [], True)),
        (" `students.csv` ", "`school_id`", (True, True, [], True)),
        ("pack/students.csv", "SCHOOL_ID", (True, True, [], True)),
        ("sessions.csv", "status", (True, True, [], True)),
        ("students.csv", "status", (True, False, [], False)),
        ("students.csv", None, (True, None, [], True)),
        ("students.csv", "", (True, None, [], True)),
        ("students.csv", "student_id, school_id", (True, True, [], True)),
        ("students.csv", "student_id and status", (True, False, [], False)),
        ("students.csv and sessions.csv", "status", (True, True, [], True)),
        ("students.csv, extra.csv", None, (False, None, [], False)),
        ("extra.csv", "note", (False, True, [], False)),
        ("invented.csv", "school_id", (False, None, [], False)),
        ("truth.json", "anything", (True, None, [], True)),
        ("Students.csv", None, (False, None, [], False)),
        (None, "school_id", (None, None, [], None)),
        (None, None, (None, None, [], None)),
    ],
)
def test_files_and_columns(file, column, expected):
    assert of_one({"source_file": file, "source_column": column}) == expected


@pytest.mark.parametrize(
    ("text", "unknown", "grounded"),
    [
        ("SCH-001 and TUT‑005", [], True),
        ("SCH-001's rows, SCH-009, TUT-77, TUT-777.", ["sch-009", "tut-777"], False),
        ("covid-19, fall-2025, Oct-2025, top-3, 2025-100", [], None),
        ("x/SCH-002|sch-002", ["sch-002"], False),
        ("", [], None),
    ],
)
def test_identifiers_are_looked_up_in_the_data(text, unknown, grounded):
    assert of_one({"citation_text": text}) == (None, None, unknown, grounded)


def test_a_pack_without_data_says_nothing_about_columns_and_identifiers():
    citation = {"citation_text": "SCH-999", "source_file": "students.csv", "source_column": "wrong"}
    assert of_one(citation, "T-2") == (True, None, [], True)


def test_identifiers_are_not_looked_up_where_an_input_is_not_shipped():
    assert of_one({"citation_text": "SCH-999"}, "T-3") == (None, None, [], None)


def test_a_row_per_citation_in_the_order_of_the_answer():
    frame = checked({"citation_text": "b"}, {"citation_text": "a"})
    check(frame, CITATION_CHECKS)
    assert frame.select("citation_no", "citation").rows() == [(0, "b"), (1, "a")]


def test_a_run_without_citations_has_no_rows():
    assert checked().is_empty()
    check(checked(), CITATION_CHECKS)
