from __future__ import annotations

import polars as pl
import pytest

from pipelines.packs.sandbox import Sandbox, SqlError

VISITS = pl.DataFrame({"branch": ["A", "B"], "visits": [3, 4]})
outside = VISITS


@pytest.fixture
def sandbox():
    measures = "-- total: all.\nCREATE VIEW total AS SELECT sum(visits)::INTEGER AS visits FROM visits;"
    with Sandbox({"visits": VISITS, 'odd "name.x': VISITS}, measures) as sandbox:
        yield sandbox


def test_a_select_sees_tables_measures_and_parameters(sandbox):
    assert sandbox.scalar("SELECT visits FROM total") == 7
    assert sandbox.scalar("SELECT visits FROM visits WHERE branch = $b", {"b": "B"}) == 4
    assert sandbox.scalar('SELECT count(*) FROM "odd ""name.x"') == 2


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT 1 / 4", 0.25),
        ("SELECT 1.5::DECIMAL(4, 2)", 1.5),
        ("SELECT true", True),
        ("SELECT NULL", None),
        ("SELECT DATE '2025-09-08'", "2025-09-08"),
    ],
)
def test_a_value_comes_back_plain(sandbox, sql, value):
    found = sandbox.scalar(sql)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM outside",
        "SELECT * FROM 'pyproject.toml'",
        "SELECT * FROM read_csv('pyproject.toml')",
        "COPY visits TO 'stolen.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "DROP TABLE visits",
        "CREATE TABLE more AS SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT FROM WHERE",
        "",
    ],
)
def test_nothing_but_one_select_over_the_pack_runs(sandbox, sql):
    with pytest.raises(SqlError):
        sandbox.rows(sql)
    assert sandbox.scalar("SELECT count(*) FROM visits") == 2


@pytest.mark.parametrize("sql", ["SELECT branch FROM visits", "SELECT 1, 2", "SELECT 1 WHERE false"])
def test_a_value_is_one_row_of_one_column(sandbox, sql):
    with pytest.raises(SqlError, match="one value"):
        sandbox.scalar(sql)


@pytest.mark.parametrize(
    "measures",
    ["SELECT 1", "CREATE VIEW a AS SELECT * FROM 'x.csv'", "DROP TABLE visits", "CREATE VIEW a AS"],
)
def test_measures_are_views_over_the_pack(measures):
    with pytest.raises(SqlError):
        Sandbox({"visits": VISITS}, measures)
