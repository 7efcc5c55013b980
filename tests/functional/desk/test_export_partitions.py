"""Tables cut into folders by a column: the same rows, safe names, and engines that skip the rest."""

from __future__ import annotations

import duckdb
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from desk_inputs import FREE, HOSTILE

from grade.errors import InputError
from pipelines.exports import tidy
from pipelines.exports.parquet import partition_folder


@pytest.fixture(scope="module")
def lake(desk, result, tmp_path_factory):
    out = tmp_path_factory.mktemp("lake") / "lake"
    desk("export", result, "--to", "parquet", "--out", out, "--partition-by", "model_id")
    return out


def test_rows_are_the_same_in_duckdb_polars_and_arrow(lake, result):
    for table in ("runs", "task_scores", "fact_checks"):
        stored = pl.read_parquet(result / f"{table}.parquet")
        keys = [name for name in ("model_id", "task_id", "run_index", "fact_id") if name in stored.columns]
        query = f"SELECT * FROM read_parquet('{lake}/{table}/*/*.parquet', hive_types_autocast = false)"
        assert duckdb.sql(query).pl().select(stored.columns).sort(keys).equals(stored)
        scanned = pl.scan_parquet(lake / table, hive_partitioning=True, try_parse_hive_dates=False)
        assert scanned.collect().select(stored.columns).sort(keys).equals(stored)
        found = pl.DataFrame(ds.dataset(lake / table, format="parquet").to_table())
        assert found.select(stored.columns).sort(keys).equals(stored)


def test_a_model_is_one_folder_whose_name_says_the_id(lake, result):
    models = pl.read_parquet(result / "overall_scores.parquet")["model_id"]
    folders = {path.name for path in (lake / "runs").iterdir()}
    assert folders == {partition_folder("model_id", model) for model in models}
    assert not any(set(name) - set("=%._-") - set(map(chr, range(128))) for name in folders)
    assert all(len(list(folder.iterdir())) == 1 for folder in (lake / "runs").iterdir())
    kept = pq.read_schema(next((lake / "runs").rglob("*.parquet"))).metadata
    assert kept[b"grade.table"] == b"runs"


def test_a_query_for_a_model_opens_only_its_folder(lake):
    for model in (FREE, HOSTILE):
        told = duckdb.sql(
            f"""
            EXPLAIN ANALYZE SELECT avg(composite)
            FROM read_parquet('{lake}/task_scores/*/*.parquet', hive_partitioning = true)
            WHERE model_id = $model
            """,
            params={"model": model},
        ).fetchall()[0][1]
        assert "Scanning Files: 1/5" in told


def test_tables_without_the_column_or_without_rows_stay_one_file(lake, result):
    assert (lake / "tasks.parquet").is_file()
    empty = [path.name for path in result.glob("*.parquet") if pq.read_metadata(path).num_rows == 0]
    assert "disagreements.parquet" in empty
    assert all((lake / name).is_file() for name in empty)
    assert not (lake / "runs.parquet").exists()


def test_a_table_that_is_not_sorted_by_the_column_is_cut_too(desk, result, tmp_path, monkeypatch):
    monkeypatch.setattr(tidy, "ROW_GROUP_ROWS", 7)
    options = ("--table", "run_scores", "--table", "overall_scores", "--partition-by", "dimension")
    desk("export", result, "--to", "parquet", "--out", tmp_path / "out", *options)
    stored = pl.read_parquet(result / "run_scores.parquet")
    found = pl.scan_parquet(tmp_path / "out" / "run_scores", hive_partitioning=True).collect()
    assert found.select(stored.columns).sort("model_id", "task_id", "run_index", "dimension").equals(stored)
    assert len(list((tmp_path / "out" / "run_scores").iterdir())) == 6
    assert (tmp_path / "out" / "overall_scores.parquet").is_file()


def test_null_is_a_folder_too(desk, result, tmp_path):
    options = ("--table", "decisions", "--partition-by", "task_id")
    desk("export", result, "--to", "parquet", "--out", tmp_path / "out", *options)
    stored = pl.read_parquet(result / "decisions.parquet")
    folder = tmp_path / "out" / "decisions" / "task_id=__HIVE_DEFAULT_PARTITION__"
    files = [pl.read_parquet(path, hive_partitioning=False) for path in sorted(folder.iterdir())]
    assert pl.concat(files).equals(stored.filter(pl.col("task_id").is_null()))


def test_a_column_that_no_table_has_is_told(desk, result, tmp_path):
    for format_, said in (("parquet", "did you mean model_id"), ("csv", "does not know --partition-by")):
        with pytest.raises(InputError, match=said):
            desk("export", result, "--to", format_, "--out", tmp_path / "out", "--partition-by", "model")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("../up", "model_id=..%2Fup"),
        ("a=b&c", "model_id=a%3Db%26c"),
        ("mödel", "model_id=m%C3%B6del"),
        ("", "model_id="),
        ("%2F", "model_id=%252F"),
    ],
)
def test_odd_values_make_safe_names(value, name):
    assert partition_folder("model_id", value) == name


def test_a_value_too_long_for_a_folder_is_told():
    with pytest.raises(InputError, match="too long"):
        partition_folder("model_id", "ö" * 50)
