"""The documented views keep the rules of our other queries, and name what each column means."""

from __future__ import annotations

import re

import pytest

from grade.db import list_sql, load_sql, reads
from grade.schemas import RESULT_TABLES
from pipelines.desk.views import find_views

VIEWS = list_sql("views")
BASES = {"ranking", "usage"}


def test_the_views_of_the_handbook_are_there():
    names = {view.name for view in find_views({table.name for table in RESULT_TABLES} | {"dimensions"})}
    assert names == {name.removeprefix("views/") for name in VIEWS} | BASES
    assert names >= {"leaderboard", "fact_misses", "forbidden_claims_made", "unstable_tasks", "coverage"}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_says_its_row_its_tables_and_its_own_columns(name):
    lines = load_sql(name).splitlines()
    assert re.fullmatch(rf"-- {name.removeprefix('views/')}: one row per .+\.", lines[0])
    assert lines[1].startswith("-- Reads: ")
    code = re.sub(r"--.*", "", load_sql(name))
    for column in re.findall(r"^-- Column (\w+):", load_sql(name), re.MULTILINE):
        assert re.search(rf"\b{column}\b", code)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_one_ordered_select_of_named_columns(name):
    code = re.sub(r"--.*|'[^']*'", "", load_sql(name))
    assert ";" not in code
    assert "$" not in code
    assert "SELECT *" not in code
    assert re.match(r"\s*(WITH|SELECT)\b", code)
    assert re.search(r"\nORDER BY [^()]+\s*$", code)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_reads_the_tables_that_it_names_and_no_other(name):
    code = re.sub(r"--.*", "", load_sql(name))
    expressions = set(re.findall(r"(?:WITH|,)\s+(\w+) AS \(", code))
    read = set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", code)) - expressions
    assert read == set(reads(name))
    assert read <= {table.name for table in RESULT_TABLES} | BASES
