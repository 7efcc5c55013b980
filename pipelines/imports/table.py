"""Tables, CSV or Parquet: a row per answer, with columns named by the user."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl
import pyarrow.parquet as pq

from grade.errors import SettingsError
from grade.hints import nearest
from grade.imports.answer import Answer, Skip
from grade.imports.places import run_number
from grade.ingest.csv import cut_rows
from grade.ingest.refusals import ReadFault
from pipelines.imports.files import AnswerFile
from pipelines.imports.text import TEXT_FIELDS

TABLE_SUFFIXES: Final = (".csv", ".parquet")
COLUMNS: Final = (
    *("task_id", "model_id", "run_index", "raw_response_text"),
    *("key_findings", "limitations", "structured_metrics", "evidence_citations"),
    *("latency_ms", "cost_usd", "prompt_tokens", "completion_tokens", "model_temperature"),
    *("timestamp_utc", "provider", "finish_reason"),
)
"""What a column may be mapped to."""

_FIELDS: Final = ("key_findings", "limitations", "structured_metrics", "evidence_citations")
_NUMBERS: Final = ("latency_ms", "cost_usd", "prompt_tokens", "completion_tokens", "model_temperature")
_ROWS: Final = 1_000


def parse_columns(pairs: list[str]) -> dict[str, str]:
    """Read `--column NAME=COLUMN` options: which column of the table is which part of a run.

    Raises:
        SettingsError: A pair has no equals sign, or names no part of a run.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not column or name not in COLUMNS:
            raise SettingsError(
                "a column mapping is not understood",
                got=pair,
                expected="NAME=COLUMN with one of " + ", ".join(COLUMNS),
                hint=nearest(name, COLUMNS),
            )
        found[name] = column
    return found


def read_table(file: AnswerFile) -> Iterator[Answer]:
    """Read a table row by row; columns that are named like parts of a run need no mapping."""
    columns: Mapping[str, str] = file.options.get("columns") or {}
    if not _has_columns(file, columns):
        return
    is_parquet = file.found.suffix == ".parquet"
    rows = _parquet_rows(file) if is_parquet else _csv_rows(file)
    for line, row in rows:
        try:
            yield _answer(row, columns, line)
        except Skip as skip:
            file.skip(skip.reason, skip.detail, line=line)


def _has_columns(file: AnswerFile, columns: Mapping[str, str]) -> bool:
    """Tell whether a table has all the columns that the user named; the first that it lacks is noted."""
    try:
        if file.found.suffix == ".parquet":
            there = pq.read_schema(file.found.path).names
        else:
            head = next(file.blocks(), b"").split(b"\n", 1)[0]
            there = next(csv.reader([head.decode("utf-8-sig", errors="replace").strip()]), [])
    except (OSError, ValueError, csv.Error):
        return True  # the reading itself tells this better
    except ReadFault as fault:
        file.skip(fault.reason, fault.detail)
        return False
    for column in columns.values():
        if column not in there:
            hint = nearest(column, there)
            detail = f"the table has no column {column!r}" + (f"; {hint}" if hint else "")
            file.skip("missing_field", detail)
            return False
    return True


def _answer(row: Mapping[str, Any], columns: Mapping[str, str], line: int | None) -> Answer:
    cells = {name: row.get(columns.get(name, name)) for name in COLUMNS}
    text = cells["raw_response_text"]
    if text is None and "raw_response_text" not in columns:
        text = next((row[name] for name in TEXT_FIELDS if isinstance(row.get(name), str)), None)
    fields = {name: value for name in _FIELDS if (value := _decoded(cells[name])) is not None}
    if not isinstance(text, str) and not fields:
        raise Skip("no_answer", "the row holds no text of an answer")
    return Answer(
        text=text if isinstance(text, str) else "",
        task_id=_id(cells["task_id"]),
        model_id=_id(cells["model_id"]),
        run_index=_index(cells["run_index"]),
        record=row,
        metadata={**cells, **{name: _number(cells[name]) for name in _NUMBERS}},
        fields=fields,
        original=json.dumps(row, ensure_ascii=False, default=str),
        line=line,
    )


def _index(cell: object) -> int | None:
    if cell is None or cell == "":
        return None
    number = run_number(cell)
    if number is None:
        raise Skip("bad_run_index", str(cell)[:100])
    return number


def _id(cell: object) -> str | None:
    return None if cell is None or not str(cell).strip() else str(cell)


def _number(cell: object) -> object:
    try:
        return float(cell) if isinstance(cell, str) else cell
    except ValueError:
        return None


def _decoded(cell: object) -> object:
    """Read a scored field: a list or object as it is, text as JSON or as one entry a line."""
    if not isinstance(cell, str):
        return cell
    if not cell.strip():
        return None
    try:
        return json.loads(cell)
    except ValueError:
        return [line.strip() for line in cell.splitlines() if line.strip()]


def _csv_rows(file: AnswerFile) -> Iterator[tuple[int | None, dict[str, Any]]]:
    for batch in cut_rows(file.blocks(), file=file.name, json_columns=frozenset()):
        for refusal in batch.refused:
            file.skip(refusal.reason, refusal.detail, line=refusal.line)
        yield from zip(batch.lines, map(dict, batch.items), strict=True)


def _parquet_rows(file: AnswerFile) -> Iterator[tuple[int | None, dict[str, Any]]]:
    try:
        for _ in file.blocks():
            pass  # for the hash; Parquet is not read from beginning to end
        with pq.ParquetFile(file.found.path) as table:
            for batch in table.iter_batches(_ROWS):
                for row in pl.DataFrame(batch).rows(named=True):
                    yield None, row
    except ReadFault as fault:
        file.skip(fault.reason, fault.detail)
    except (OSError, ValueError, pl.exceptions.PolarsError) as fault:
        file.skip("bad_parquet", str(fault)[:300])
