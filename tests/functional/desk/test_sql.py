from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest
from desk_inputs import FREE, GOOD, HOSTILE, MIXED, PARTIAL
from rich.console import Console

from grade.columns import COLUMNS
from grade.db import list_sql
from grade.errors import InputError
from grade.sandbox import SqlError
from grade.schemas import RESULT_TABLES
from pipelines.desk.folder import open_result
from pipelines.desk.prompt import converse
from pipelines.desk.session import Session
from pipelines.desk.views import find_views


@pytest.fixture
def session(result):
    with Session(open_result(result)) as opened:
        yield opened


def test_every_table_is_a_view_under_its_name(session, result):
    names = set(session.select("SHOW TABLES")["name"])
    assert {path.stem for path in result.glob("*.parquet")} <= names
    for table in RESULT_TABLES:
        if table.name in names:
            stored = pl.read_parquet(result / f"{table.name}.parquet")
            assert session.select(f"SELECT count(*) AS n FROM {table.name}")["n"][0] == stored.height


def test_the_leaderboard_ranks_models_that_compare_and_tells_costs_apart(session):
    board = session.select("FROM leaderboard")
    rows = {row["model_id"]: row for row in board.rows(named=True)}
    assert rows[GOOD]["rank"] == 1
    assert (rows[FREE]["cost_usd"], rows[FREE]["n_costs"]) == (0.0, 18)
    assert (rows[MIXED]["cost_usd"], rows[MIXED]["n_costs"]) == (None, 0)
    assert rows[PARTIAL]["section"] > rows[GOOD]["section"]
    assert rows[PARTIAL]["section_note"].startswith("only 50.0 % of the tasks answered")
    assert rows[GOOD]["low"] < rows[GOOD]["composite"] < rows[GOOD]["high"]


def test_missed_facts_are_those_that_the_checks_miss(session, result):
    checks = pl.read_parquet(result / "fact_checks.parquet")
    misses = session.select("FROM fact_misses")
    assert misses["n_missed"].sum() == checks.filter(~pl.col("matched")).height > 0
    assert set(misses["claim_text"]) == {"The program enrolls 135 students."}
    assert misses["share_missed"].is_sorted(descending=True)


def test_forbidden_claims_come_with_the_sentence_that_makes_them(session):
    made = session.select("FROM forbidden_claims_made")
    assert set(made["model_id"]) == {HOSTILE}
    assert all("caused the growth" in sentence for sentence in made["evidence"])


def test_coverage_has_a_row_for_every_model_and_task(session):
    coverage = session.select("FROM coverage")
    assert coverage.height == 5 * 6
    left_out = coverage.filter(~pl.col("is_answered"))
    assert left_out["model_id"].to_list() == [PARTIAL] * 3
    assert left_out["n_runs"].to_list() == [0, 0, 0]


def test_unstable_tasks_begin_with_the_least_consistent(session):
    unstable = session.select("FROM unstable_tasks")
    assert unstable["consistency"].is_sorted()
    assert (unstable["grounding_lowest"] <= unstable["grounding_highest"]).all()


def test_every_column_of_a_view_has_its_meaning(session):
    dictionary = session.dictionary()
    silent = dictionary.filter(pl.col("note") == "")
    assert silent.filter(
        pl.col("table").is_in([view.name for view in session.views if view.notes])
    ).is_empty()
    documented = {name.removeprefix("views/") for name in list_sql("views")}
    assert silent.filter(pl.col("table").is_in(documented)).is_empty()
    for name, note in dictionary.filter(pl.col("table") == "overall_scores").select("column", "note").rows():
        assert note == COLUMNS[name].note


def test_a_folder_without_a_table_lacks_the_views_that_read_it():
    assert [view.name for view in find_views({"runs"})] == ["usage"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT * FROM read_csv('{path}')", "nothing but the tables"),
        ("SELECT * FROM read_text('{path}')", "nothing but the tables"),
        ("SELECT * FROM read_parquet('{path}')", "nothing but the tables"),
        ("SELECT * FROM glob('/*')", "nothing but the tables"),
        ("FROM '{path}'", "no such table|nothing but the tables"),
        ("SELECT * FROM 'https://example.invalid/x.csv'", "nothing but the tables"),
        ("COPY runs TO '{path}'", "only queries that read"),
        ("EXPORT DATABASE '{path}'", "only queries that read"),
        ("ATTACH '{path}'", "only queries that read"),
        ("INSTALL httpfs", "only queries that read"),
        ("LOAD httpfs", "only queries that read"),
        ("CREATE TABLE t AS SELECT 1", "only queries that read"),
        ("DROP VIEW runs", "only queries that read"),
        ("INSERT INTO runs VALUES (1)", "only queries that read"),
        ("SET enable_external_access = true", "only queries that read"),
        ("PRAGMA enable_profiling", "only queries that read"),
        ("CALL pragma_version()", "only queries that read"),
        ("EXPLAIN ANALYZE COPY (SELECT 1) TO '{path}'", "nothing but the tables"),
        ("SELECT 1; SELECT 2", "one query at a time"),
        ("", "one query at a time"),
        ("SELECT 1; COPY runs TO '{path}'", "one query at a time"),
    ],
)
def test_a_query_that_reaches_out_or_writes_is_refused_and_says_so(session, result, tmp_path, query, told):
    target = tmp_path / "target"
    target.write_text("a,b\n1,2\n")
    before = {path: path.read_bytes() for path in result.glob("*.parquet")}
    with pytest.raises(SqlError, match=told):
        session.select(query.format(path=target))
    assert target.read_text() == "a,b\n1,2\n"
    assert list(tmp_path.iterdir()) == [target]
    assert {path: path.read_bytes() for path in result.glob("*.parquet")} == before


def test_files_inside_the_folder_are_no_tables_either(session, result):
    with pytest.raises(SqlError, match="nothing but the tables"):
        session.select(f"SELECT * FROM read_text('{result}/manifest.json')")


def test_a_python_variable_is_no_table(session):
    secret = pl.DataFrame({"x": [1]})
    with pytest.raises(SqlError, match="no such table"):
        session.select("FROM secret")
    assert secret.height == 1


@pytest.mark.parametrize(
    "query",
    [
        "WITH a AS (SELECT 1 AS x) SELECT * FROM a",
        "VALUES (1)",
        "DESCRIBE runs",
        "SUMMARIZE task_scores",
        "EXPLAIN SELECT 1",
        "PIVOT task_scores ON track USING avg(composite) GROUP BY model_id",
        "SELECT 1;",
    ],
)
def test_every_form_of_reading_runs(session, query):
    assert session.select(query).height > 0


def test_a_misspelt_table_is_answered_with_the_nearest(session):
    with pytest.raises(SqlError, match="did you mean runs"):
        session.select("SELECT * FROM run")


def test_a_sum_of_counts_is_a_whole_number(session):
    made = session.select(
        "SELECT sum(n_runs) AS n, sum(18446744073709551616::HUGEINT) AS large FROM task_scores"
    )
    assert made.schema == {"n": pl.Int64, "large": pl.Float64}


def test_a_type_without_a_form_says_how_to_cast(session):
    with pytest.raises(SqlError, match="CAST"):
        session.select("SELECT INTERVAL 1 DAY")


def test_csv_for_a_spreadsheet_runs_nothing(desk, result):
    query = "SELECT key_findings[2] AS text, limitations FROM runs WHERE len(key_findings) = 2 AND model_id LIKE '<b>%'"
    rows = list(csv.DictReader(io.StringIO(desk("sql", result, query, "--format", "csv").stdout)))
    assert rows
    assert {row["text"][:2] for row in rows} == {"'="}
    assert json.loads(rows[0]["limitations"]) == ["+ one caveat", "@sum(A1)"]


def test_json_lines_and_parquet_hold_the_same_rows(desk, result, tmp_path):
    query = "SELECT model_id, n_runs, composite, NULL AS nothing FROM overall_scores ORDER BY model_id"
    lines = [json.loads(line) for line in desk("sql", result, query, "--format", "jsonl").stdout.splitlines()]
    desk("sql", result, query, "--format", "parquet", "--out", tmp_path / "rows.parquet")
    assert pl.read_parquet(tmp_path / "rows.parquet").rows(named=True) == lines
    assert lines[0]["nothing"] is None


def test_nan_never_leaves_as_nan(desk, result):
    assert json.loads(desk("sql", result, "SELECT 'nan'::DOUBLE AS x", "--format", "jsonl").stdout) == {
        "x": None
    }


def test_a_query_may_come_from_a_file_or_from_stdin(desk, result, tmp_path):
    (tmp_path / "query.sql").write_text("SELECT 40 + 2 AS answer")
    assert "42" in desk("sql", result, "--file", tmp_path / "query.sql").stdout
    with pytest.raises(InputError, match="cannot be read"):
        desk("sql", result, "-f", tmp_path / "none.sql")
    with pytest.raises(InputError, match="two queries"):
        desk("sql", result, "SELECT 1", "-f", tmp_path / "query.sql")


def test_the_list_shows_tables_and_columns_with_their_meaning(desk, result):
    told = desk("sql", result, "--list").stdout
    assert "fact_misses" in told
    assert "a gold fact looked for in a run" in told
    columns = desk("sql", result, "--list", "--table", "task_scores").stdout
    assert COLUMNS["weight_scored"].note in columns
    with pytest.raises(InputError, match="did you mean task_scores"):
        desk("sql", result, "--table", "task_score")


def test_control_characters_do_not_reach_the_terminal(desk, result):
    told = desk("sql", result, "SELECT chr(27) || '[31mred' || chr(8238) AS x").stdout
    assert "\x1b" not in told
    assert "\u202e" not in told


def test_a_long_result_says_how_much_is_left_out(desk, result):
    told = desk("sql", result, "SELECT * FROM range(250)").stdout
    assert "150 more rows" in told


def test_wide_rows_are_shown_line_by_line(desk, result):
    told = desk("sql", result, "SELECT * FROM runs LIMIT 1").stdout
    assert "-- row 1" in told
    assert "content_hash" in told


def prompt(session, *lines: str) -> str:
    console = Console(file=io.StringIO(), width=120)
    left = iter(lines)
    shown = []

    def read_line(asked: str) -> str:
        shown.append(asked)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    converse(session, console, read_line)
    return "\n".join([console.file.getvalue(), *shown])


def test_the_prompt_takes_queries_over_lines_and_survives_mistakes(session):
    told = prompt(
        session, "SELECT", "  40 + 2 AS answer;", "SELECT nothing FROM nowhere;", ".tables", ".help"
    )
    assert "42" in told
    assert "no such table" in told
    assert "fact_misses" in told
    assert "...>" in told


def test_the_prompt_shows_columns_and_ends(session):
    told = prompt(session, ".columns leaderboard", ".columns nowhere", ".nothing", ".quit", "SELECT 1/0;")
    assert "the number of models of the section" in told
    assert "there is no such table" in told
    assert "there is no .nothing" in told
    assert "1/0" not in told


def test_the_history_lies_in_the_users_state_folder(monkeypatch, tmp_path):
    from pipelines.desk.prompt import history_file

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "grade" / "sql_history"
    assert history_file().parent.is_dir()


def test_a_folder_that_is_no_result_says_what_it_holds(desk, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"got: notes\.txt"):
        desk("sql", tmp_path, "SELECT 1")
    with pytest.raises(InputError, match="nothing there"):
        desk("sql", tmp_path / "none", "SELECT 1")


def test_a_damaged_table_is_named(desk, tmp_path):
    (tmp_path / "runs.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match=r"runs\.parquet"):
        desk("sql", tmp_path, "SELECT 1")
