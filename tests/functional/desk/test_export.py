from __future__ import annotations

import json
import sys

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from desk_inputs import HOSTILE

from grade.columns import COLUMNS
from grade.errors import InputError, OutputError
from grade.schemas import FACT_CHECKS, RESULT_TABLES
from pipelines.exports.registry import EXPORTERS
from pipelines.parquet import SCHEMA_VERSION

TABLES = [table.name for table in RESULT_TABLES]


def test_parquet_is_the_same_table_with_version_and_notes_in_its_metadata(desk, result, tmp_path):
    desk("export", result, "--to", "parquet", "--out", tmp_path / "out")
    for path in result.glob("*.parquet"):
        assert pl.read_parquet(tmp_path / "out" / path.name).equals(pl.read_parquet(path))
    schema = pq.read_schema(tmp_path / "out" / "fact_checks.parquet")
    assert schema.metadata[b"grade.schema_version"].decode() == SCHEMA_VERSION
    assert schema.metadata[b"grade.row"].decode() == FACT_CHECKS.row
    assert schema.field("matched").metadata[b"note"].decode() == COLUMNS["matched"].note


def test_csv_has_all_rows_and_no_cell_that_a_spreadsheet_runs(desk, result, tmp_path):
    desk("export", result, "--to", "csv", "--out", tmp_path / "out")
    for path in result.glob("*.parquet"):
        made = pl.read_csv(tmp_path / "out" / f"{path.stem}.csv", infer_schema=False)
        stored = pl.read_parquet(path)
        assert made.columns == stored.columns
        assert made.height == stored.height
        texts = [name for name, dtype in stored.schema.items() if dtype == pl.String]
        cells = made.select(texts).unpivot()["value"].drop_nulls() if texts else pl.Series(dtype=pl.String)
        assert cells.filter(cells.str.contains(r"^[=@\t\r]|^[+-][^0-9]")).is_empty()
    runs = pl.read_csv(tmp_path / "out" / "runs.csv", infer_schema=False)
    hostile = runs.filter(pl.col("model_id") == HOSTILE)
    assert "caused the growth" in "".join(
        json.loads(hostile["key_findings"][1]) + json.loads(hostile["key_findings"][0])
    )


def test_a_workbook_has_a_sheet_per_table_and_no_formula_or_link(desk, result, tmp_path):
    desk("export", result, "--to", "xlsx", "--out", tmp_path / "out")
    book = openpyxl.load_workbook(tmp_path / "out" / "result.xlsx")
    assert book.sheetnames[0] == "data_dictionary"
    assert {path.stem for path in result.glob("*.parquet")} == set(book.sheetnames[1:])
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                assert cell.hyperlink is None
    board = book["overall_scores"]
    headings = [cell.value for cell in board[1]]
    composite = board.cell(2, headings.index("composite") + 1)
    assert isinstance(composite.value, float)
    assert board.column_dimensions[composite.column_letter].width > 5
    assert board.freeze_panes == "A2"


def test_a_workbook_is_the_same_bytes_for_the_same_result(desk, result, tmp_path):
    for name in ("one", "two"):
        desk("export", result, "--to", "xlsx", "--out", tmp_path / name, "--table", "task_scores")
    assert (tmp_path / "one" / "result.xlsx").read_bytes() == (tmp_path / "two" / "result.xlsx").read_bytes()


def test_a_database_has_tables_views_and_comments(desk, result, tmp_path):
    desk("export", result, "--to", "duckdb", "--out", tmp_path / "out")
    with duckdb.connect(str(tmp_path / "out" / "result.duckdb"), read_only=True) as database:
        stored = pl.read_parquet(result / "task_scores.parquet").height
        assert database.sql("SELECT count(*) FROM task_scores").fetchall() == [(stored,)]
        assert len(database.sql("FROM leaderboard").fetchall()) == 5
        notes = dict(
            database.sql(
                "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'fact_checks'"
            ).fetchall()
        )
        assert notes["matched"] == COLUMNS["matched"].note
        assert database.sql("SELECT count(*) FROM data_dictionary").fetchall()[0][0] > 100


def test_arrow_files_hold_types_and_metadata(desk, result, tmp_path):
    desk("export", result, "--to", "arrow", "--out", tmp_path / "out", "--table", "runs")
    with pa.ipc.open_file(tmp_path / "out" / "runs.arrow") as file:
        assert file.schema.metadata[b"grade.table"] == b"runs"
        assert pl.DataFrame(file.read_all()).equals(pl.read_parquet(result / "runs.parquet"))


@pytest.mark.parametrize("form", ["parquet", "csv", "arrow", "duckdb"])
def test_empty_tables_are_exported_too(desk, result, tmp_path, form):
    folder = tmp_path / "result"
    folder.mkdir()
    empty = pl.read_parquet(result / "rejects.parquet").clear()
    pq.write_table(
        empty.to_arrow().cast(pq.read_schema(result / "rejects.parquet")), folder / "rejects.parquet"
    )
    desk("export", folder, "--to", form, "--out", tmp_path / "out")
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert any(name.startswith(("rejects.", "result.")) for name in made)


def test_every_export_has_the_dictionary_of_its_tables(desk, result, tmp_path):
    desk(
        "export",
        result,
        "--to",
        "csv",
        "--out",
        tmp_path / "out",
        "--table",
        "fact_checks",
        "--table",
        "tasks",
    )
    dictionary = pl.read_csv(tmp_path / "out" / "data_dictionary.csv")
    assert dictionary["table"].unique().sort().to_list() == ["fact_checks", "tasks"]
    assert dictionary.filter(pl.col("table") == "fact_checks")["column"].to_list() == list(
        FACT_CHECKS.columns
    )
    assert "## fact_checks" in (tmp_path / "out" / "data_dictionary.md").read_text()
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["tables"] == ["tasks", "fact_checks"]


def test_an_export_replaces_an_export_and_nothing_else(desk, result, tmp_path):
    for table in ("runs", "tasks"):
        desk("export", result, "--to", "csv", "--out", tmp_path / "out", "--table", table)
    assert not (tmp_path / "out" / "runs.csv").exists()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    for target in (tmp_path / "out", result):
        with pytest.raises(OutputError, match="not an earlier result"):
            desk("export", result, "--to", "csv", "--out", target)
    assert (tmp_path / "out" / "mine.txt").read_text() == "keep"


def test_unknown_formats_tables_and_options_are_named(desk, result, tmp_path):
    with pytest.raises(InputError, match="did you mean csv"):
        desk("export", result, "--to", "csvs", "--out", tmp_path / "out")
    with pytest.raises(InputError, match="did you mean runs"):
        desk("export", result, "--to", "csv", "--out", tmp_path / "out", "--table", "run")
    with pytest.raises(InputError, match="does not know --model"):
        desk("export", result, "--to", "csv", "--out", tmp_path / "out", "--model", "a")
    assert not (tmp_path / "out").exists()


def test_text_beyond_what_a_cell_holds_is_cut_and_says_so(desk, result, tmp_path):
    folder = tmp_path / "result"
    folder.mkdir()
    rejects = pl.read_parquet(result / "rejects.parquet").with_columns(raw=pl.lit("x" * 40_000))
    rejects.write_parquet(folder / "rejects.parquet")
    desk("export", folder, "--to", "xlsx", "--out", tmp_path / "out")
    sheet = openpyxl.load_workbook(tmp_path / "out" / "result.xlsx")["rejects"]
    longest = max(str(cell.value) for cell in sheet[2] if cell.value)
    assert len(longest) == 32_767
    assert longest.endswith("holds 32,767 characters]")


def test_a_table_longer_than_a_sheet_goes_on_in_the_next(desk, result, tmp_path, monkeypatch):
    monkeypatch.setattr("pipelines.exports.xlsx._ROWS", 10)
    desk("export", result, "--to", "xlsx", "--out", tmp_path / "out", "--table", "task_scores")
    book = openpyxl.load_workbook(tmp_path / "out" / "result.xlsx")
    parts = [name for name in book.sheetnames if name.startswith("task_scores")]
    stored = pl.read_parquet(result / "task_scores.parquet").height
    assert len(parts) == -(-stored // 10)
    assert sum(book[name].max_row - 1 for name in parts) == stored


def test_a_foreign_table_is_described_from_its_own_file(desk, result, tmp_path):
    folder = tmp_path / "result"
    folder.mkdir()
    (folder / "tasks.parquet").write_bytes((result / "tasks.parquet").read_bytes())
    pl.DataFrame({"x": [1], "y": [["a"]]}).write_parquet(folder / "mine.parquet")
    desk("export", folder, "--to", "csv", "--out", tmp_path / "out")
    dictionary = pl.read_csv(tmp_path / "out" / "data_dictionary.csv").filter(pl.col("table") == "mine")
    assert dictionary.select("column", "type").rows() == [("x", "whole number"), ("y", "list of text")]


def test_the_help_names_every_format(desk):
    told = " ".join(desk("export", "--help").stdout.split())
    assert all(exporter.name in told for exporter in EXPORTERS)


def test_a_format_whose_library_is_missing_says_what_to_install(desk, result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    monkeypatch.delitem(sys.modules, "pipelines.exports.xlsx", raising=False)
    with pytest.raises(InputError, match=r"grade\[xlsx\]"):
        desk("export", result, "--to", "xlsx", "--out", tmp_path / "out")
