from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from grade import schemas
from grade.db import Database, QueryError, list_sql, load_sql, query, reads
from grade.levels import dimension_frame

ROOT = Path(__file__).parents[2] / "sql"
NAMES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix()
    for path in (*ROOT.glob("*.sql"), *ROOT.glob("checks/*.sql"))
)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_its_row_its_tables_and_its_parameters(name):
    lines = load_sql(name).splitlines()
    assert re.fullmatch(rf"-- {name.split('/')[-1]}: one row per .+", lines[0])
    assert lines[1].startswith("-- Reads: ")
    told = next((line for line in lines if line.startswith("-- Parameters: ")), "")
    assert set(re.findall(r"\$\w+", told)) == set(
        re.findall(r"\$[a-z]\w*", re.sub(r"--.*", "", load_sql(name)))
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_one_select_that_ends_with_its_order(name):
    code = re.sub(r"--.*|'[^']*'", "", load_sql(name))
    assert ";" not in code
    assert re.match(r"\s*(WITH|SELECT)\b", code)
    assert re.search(r"\nORDER BY [^()]+\s*$", code)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_reads_the_tables_that_it_names_and_no_other(name):
    code = re.sub(r"--.*", "", load_sql(name))
    expressions = set(re.findall(r"(?:WITH|RECURSIVE|,)\s+(\w+) AS \(", code))
    read = set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", code)) - expressions
    assert read == set(reads(name))


def test_sums_of_scores_have_a_fixed_order():
    for name in NAMES:
        for call in re.findall(r"\b(?:fsum|favg)\((.*?)\)", load_sql(name)):
            assert "ORDER BY" in call, f"{name}: {call}"
        assert not re.search(r"\bavg\(", load_sql(name)), name


@pytest.mark.parametrize(
    "name", ["../pyproject", "/etc/hosts", "checks/../task_scores", "no_such_query", "A"]
)
def test_only_our_own_files_load(name):
    with pytest.raises(QueryError, match="no query named"):
        load_sql(name)


def test_checks_are_found_by_folder():
    assert "checks/groups_agree" in list_sql("checks")
    assert list_sql("no_such_folder") == ()


def test_a_query_sees_only_the_frames_handed_in():
    rolled = pl.DataFrame({"model_id": ["a"]})
    with pytest.raises(QueryError, match="overall_scores failed"):
        query("overall_scores", {})
    assert rolled.height == 1


def test_a_failure_holds_the_name_and_the_sql():
    with pytest.raises(QueryError) as fault:
        query("track_scores", {"rolled": pl.DataFrame({"model_id": ["a"]})})
    assert "query track_scores failed" in str(fault.value)
    assert "FROM rolled" in str(fault.value)


def test_frames_are_forgotten_after_a_query():
    with Database() as database:
        database.query("checks/run_scores_within_bounds", {"run_scores": schemas.RUN_SCORES.empty()})
        with pytest.raises(QueryError):
            database.query("checks/run_scores_within_bounds", {})


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM 'pyproject.toml'",
        "SELECT * FROM read_csv('pyproject.toml')",
        "COPY (SELECT 1) TO 'stolen.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
    ],
)
def test_the_database_reaches_no_file_and_no_extension(statement, monkeypatch):
    monkeypatch.setattr("grade.db.load_sql", lambda _: statement)
    with pytest.raises(QueryError):
        query("anything", {})


def test_the_clock_of_the_database_is_utc(monkeypatch):
    monkeypatch.setattr(
        "grade.db.load_sql", lambda _: "SELECT current_setting('TimeZone') AS zone, $n + 1 AS n"
    )
    assert query("anything", {}, {"n": 1}).rows() == [("UTC", 2)]


def test_the_dimension_table_is_complete():
    assert dimension_frame()["weight"].sum() == 100
    assert dimension_frame()["ordinal"].to_list() == list(range(6))
