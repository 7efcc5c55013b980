"""bare_read.py RUNS: let DuckDB read run files with explicit types into memory, and do nothing else."""

from __future__ import annotations

import sys

import duckdb

COLUMNS = {
    "task_id": "VARCHAR",
    "model_id": "VARCHAR",
    "run_index": "BIGINT",
    "structured_metrics": "JSON",
    "key_findings": "VARCHAR[]",
    "limitations": "VARCHAR[]",
    "evidence_citations": "STRUCT(citation_text VARCHAR, source_file VARCHAR, source_column VARCHAR,"
    " grounded BOOLEAN)[]",
    "runtime_metadata": "STRUCT(adapter_version VARCHAR, timestamp_utc VARCHAR, latency_ms DOUBLE,"
    " prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DOUBLE, model_temperature DOUBLE,"
    " provider VARCHAR, pack_id VARCHAR, finish_reason VARCHAR)",
    "raw_response_text": "VARCHAR",
}
THREADS = 2


def main() -> None:
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(
        "CREATE TABLE runs AS SELECT * FROM read_json($path, columns = $columns, format = 'newline_delimited')",
        {"path": sys.argv[1], "columns": COLUMNS},
    )
    print(*connection.execute("SELECT count(*) FROM runs").fetchone())


if __name__ == "__main__":
    main()
