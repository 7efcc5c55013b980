"""Read Parquet files as records: their rows as mappings, to be held to the same types as JSON.

Rows pass through Python on purpose: whatever types the columns have, a row is then judged by the
same rules, and refused with the same codes, as one that came as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, BinaryIO, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from grade.ingest.answers import Answer, Metadata, RunRecord, finish
from grade.ingest.batch import Records
from grade.ingest.decoding import Unfit, decode_all, explain
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.metrics import without_nonfinite
from grade.ingest.runs import RunBatch, run_batch

_BATCH_ROWS: Final = 4_096
_RUN: Final = frozenset(RunRecord.__struct_fields__)
_METADATA: Final = frozenset(Metadata.__struct_fields__)
_JSON: Final = msgspec.json.Decoder()
_PLAIN: Final[tuple[Callable[[pa.DataType], bool], ...]] = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_null,
)

RUN_FIELDS: Final = _RUN | _METADATA
"""The columns that a Parquet file of runs may have."""


def cut_parquet(source: BinaryIO, *, file: str, columns: Collection[str]) -> Iterator[Records]:
    """Read one Parquet file in batches of rows; other columns are left unread.

    Args:
        source: The open file.
        file: The file's name, for the places.
        columns: The columns to read, where the file has them.

    Yields:
        Batches; a part of the file that cannot be read is one refusal, and ends it.
    """
    try:
        opened = pq.ParquetFile(source)
        schema = opened.schema_arrow
        names = [name for name in schema.names if name in columns]
        foreign = [
            f"{name} is {schema.field(name).type}" for name in names if not _is_plain(schema.field(name).type)
        ]
        for batch in opened.iter_batches(batch_size=_BATCH_ROWS, columns=names):
            yield _refused_rows(batch, file, foreign) if foreign else _records(batch, file)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        broken = Records(file)
        broken.refuse(None, None, "bad_parquet", str(error))
        yield broken


def decode_run_rows(records: Records, *, limits: Limits = DEFAULT_LIMITS) -> RunBatch:
    """Decode rows of a Parquet file as runs.

    `runtime_metadata` is a struct, or its fields are columns of their own, as in `runs.parquet`;
    `structured_metrics` is JSON text or a struct.
    """
    return run_batch(decode_all(records, partial(_read_row, limits=limits)))


def _is_plain(kind: pa.DataType) -> bool:
    """Tell whether a column's values are such as JSON has, too."""
    if pa.types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    if pa.types.is_struct(kind):
        return all(_is_plain(field.type) for field in kind)
    if pa.types.is_map(kind):
        return _is_plain(kind.key_type) and _is_plain(kind.item_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    return any(is_kind(kind) for is_kind in _PLAIN)


def _refused_rows(batch: pa.RecordBatch, file: str, foreign: list[str]) -> Records:
    records = Records(file)
    for _ in range(batch.num_rows):
        records.refuse(None, None, "wrong_type", f"JSON has no such type: {', '.join(foreign)}")
    return records


def _records(batch: pa.RecordBatch, file: str) -> Records:
    records = Records(file)
    for rows in _sound_parts(batch):
        if rows is None:
            records.refuse(None, None, "not_utf8", "a text of the row is not UTF-8")
            continue
        for row in rows.to_pylist(maps_as_pydicts="strict"):
            present = {name: value for name, value in row.items() if value is not None}
            records.add(present, line=None, offset=None, raw=msgspec.json.encode(present))
    return records


def _sound_parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch | None]:
    """Give the batch as a whole, or row by row if one of its rows is broken; None is such a row."""
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:
        if batch.num_rows == 1:
            yield None
            return
        for number in range(batch.num_rows):
            yield from _sound_parts(batch.slice(number, 1))
    else:
        yield batch


def _read_row(row: dict[str, Any], *, limits: Limits) -> Answer:
    fields = {name: value for name, value in row.items() if name in _RUN}
    flat = {name: value for name, value in row.items() if name in _METADATA}
    if flat:
        fields.setdefault("runtime_metadata", flat)
    flags: set[str] = set()
    if "structured_metrics" in fields:
        fields["structured_metrics"] = _metrics(fields["structured_metrics"], flags)
    record = msgspec.convert(fields, RunRecord)
    if record.runtime_metadata is not None:
        _refuse_nonfinite(record.runtime_metadata)
    answer = finish(record, limits=limits)
    answer.flags = sorted({*answer.flags, *flags})
    return answer


def _metrics(value: object, flags: set[str]) -> object:
    if not isinstance(value, str):
        return without_nonfinite(value, flags)
    try:
        return _JSON.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        reason, detail = explain(error, value.encode())
        raise Unfit(reason, f"structured_metrics: {detail}") from error


def _refuse_nonfinite(metadata: Metadata) -> None:
    found: set[str] = set()
    without_nonfinite(msgspec.structs.asdict(metadata), found)
    if found:
        raise Unfit("nonfinite_number", "a number of runtime_metadata is NaN or infinite")
