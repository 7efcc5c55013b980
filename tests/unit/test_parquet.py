from __future__ import annotations

import json

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from grade import schemas
from grade.errors import ContractError
from pipelines.batches import cut_batches, of_groups
from pipelines.parquet import ROW_GROUP_ROWS, SCHEMA_VERSION, TableFile, TableFiles


def score_rows(n_runs: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "model_id": "m",
            "task_id": "t",
            "run_index": range(n_runs),
            "dimension": "consistency",
            "score": 0.5,
        }
    ).select(
        pl.col("model_id", "task_id"),
        pl.col("run_index").cast(pl.Int64),
        pl.col("dimension", "score"),
        source=pl.lit("rule"),
        flags=pl.lit(["a"]),
    )


def write(folder, rows: pl.DataFrame, size: int) -> bytes:
    folder.mkdir()
    file = TableFile(folder, schemas.RUN_SCORES)
    for start in range(0, rows.height, size):
        file.append(rows.slice(start, size))
    file.close()
    return file.path.read_bytes()


def test_the_bytes_do_not_depend_on_the_batches(tmp_path):
    rows = score_rows(2 * ROW_GROUP_ROWS + 5)
    sizes = (rows.height, ROW_GROUP_ROWS, 1_000, 777)
    made = {write(tmp_path / str(size), rows, size) for size in sizes}
    assert len(made) == 1
    assert pq.ParquetFile(tmp_path / "777" / "run_scores.parquet").metadata.num_row_groups == 3


def test_rows_come_back_as_they_were(tmp_path, make_tables):
    tables = make_tables()
    with TableFiles(tmp_path, schemas.RESULT_TABLES) as files:
        for table in schemas.RESULT_TABLES:
            files.append(table.name, tables.get(table.name, table.empty()))
    for table in schemas.RESULT_TABLES:
        back = pl.read_parquet(tmp_path / f"{table.name}.parquet")
        assert_frame_equal(back, tables.get(table.name, table.empty()), check_exact=True)
    assert files.n_rows["runs"] == tables["runs"].height


def test_every_table_has_a_file_also_without_rows_and_duckdb_reads_it(tmp_path):
    with TableFiles(tmp_path, schemas.RESULT_TABLES):
        pass
    for table in schemas.RESULT_TABLES:
        path = tmp_path / f"{table.name}.parquet"
        described = duckdb.read_parquet(str(path)).columns
        assert described == list(table.columns)


def test_the_metadata_holds_version_key_and_notes(tmp_path):
    TableFile(tmp_path, schemas.RUNS).close()
    schema = pq.read_schema(tmp_path / "runs.parquet")
    about = {key.decode(): value.decode() for key, value in schema.metadata.items()}
    assert about["grade.schema_version"] == SCHEMA_VERSION
    assert json.loads(about["grade.key"]) == list(schemas.RUNS.key)
    assert json.loads(about["grade.columns"])["latency_ms"]["unit"] == "ms"
    assert schema.field("latency_ms").metadata[b"unit"] == b"ms"


def test_rows_are_sorted_within_a_batch_and_may_not_go_back(tmp_path):
    file = TableFile(tmp_path, schemas.RUN_SCORES)
    rows = score_rows(10)
    file.append(rows.tail(5).reverse())
    with pytest.raises(ContractError, match="out of order"):
        file.append(rows.head(5))
    file.close()
    assert pl.read_parquet(file.path)["run_index"].to_list() == [5, 6, 7, 8, 9]


def test_a_key_that_is_null_comes_first(tmp_path):
    rows = pl.DataFrame(
        [("b", None, None, "r", None, None), ("b", 2, 0, "r", None, None)],
        schema=schemas.REJECTS.dtypes,
        orient="row",
    )
    file = TableFile(tmp_path, schemas.REJECTS)
    file.append(rows.head(1))
    file.append(rows.tail(1))
    file.close()
    assert pl.read_parquet(file.path).equals(rows)


@pytest.mark.parametrize("batch_runs", [1, 2, 3, 5, 7, 100])
def test_batches_keep_groups_whole_and_lose_nothing(make_tables, batch_runs):
    runs = make_tables(n_runs=3)["runs"]
    batches = list(cut_batches(runs, batch_runs=batch_runs))
    assert pl.concat(batches).equals(runs)
    groups = [set(batch.select(schemas.GROUP_KEY).rows()) for batch in batches]
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert all(batch.height < batch_runs + 3 for batch in batches)


def test_no_runs_are_no_batch():
    assert list(cut_batches(schemas.RUNS.empty(), batch_runs=10)) == []


def test_rows_of_a_batch_s_groups_keep_their_order(make_tables):
    tables = make_tables(n_runs=3)
    batch = next(cut_batches(tables["runs"], batch_runs=4))
    own = of_groups(tables["claim_checks"], batch)
    assert own.height == batch.height * 4
    assert own.equals(own.sort(schemas.CLAIM_CHECKS.key))
