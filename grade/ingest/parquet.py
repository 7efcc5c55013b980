"""Read Parquet files as records: their rows as mappings, to be held to the same types as JSON.

Rows pass through Python on purpose: whatever types the columns have, a row is then judged by the
same rules, and refused with the same codes, as one that came as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from grade.ingest.answers import Answer, Metadata, RunRecord, finish
from grade.ingest.batch import Records, too_long
from grade.ingest.decoding import Unfit, decode_all, explain
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.metrics import without_nonfinite
from grade.ingest.refusals import ReadFault
from grade.ingest.runs import RunBatch, run_batch
from grade.ingest.sizes import Sizes, row_bytes

_BATCH_ROWS: Final = 4_096
_HELD_BYTES: Final = 64 * 2**20  # of rows at a time, once they are written out
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


def cut_parquet(
    source: BinaryIO, *, file: str, columns: Collection[str], limits: Limits = DEFAULT_LIMITS
) -> Iterator[Records]:
    """Read one Parquet file in batches of rows; other columns are left unread.

    Texts are read as dictionaries, so that a value that many rows share is held once.

    Args:
        source: The open file.
        file: The file's name, for the places.
        columns: The columns to read, where the file has them.
        limits: What a row and the whole file may hold at most, written out.

    Yields:
        Batches; a part of the file that cannot be read is one refusal, and ends it.
    """
    broken = Records(file)
    try:
        opened = _open(source)
        schema = opened.schema_arrow
        names = [name for name in schema.names if name in columns]
        foreign = [
            f"{name} is {schema.field(name).type}" for name in names if not _is_plain(schema.field(name).type)
        ]
        for rows, sizes in _parts(opened, names, limits.max_expanded_bytes):
            yield _refused_rows(rows, file, foreign) if foreign else _records(rows, sizes, file, limits)
    except ReadFault as fault:
        broken.refuse(None, None, fault.reason, fault.detail)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        broken.refuse(None, None, "bad_parquet", str(error))
    if len(broken):
        yield broken


def decode_run_rows(records: Records, *, limits: Limits = DEFAULT_LIMITS) -> RunBatch:
    """Decode rows of a Parquet file as runs.

    `runtime_metadata` is a struct, or its fields are columns of their own, as in `runs.parquet`;
    `structured_metrics` is JSON text or a struct.
    """
    return run_batch(decode_all(records, partial(_read_row, limits=limits)))


def _open(source: BinaryIO) -> pq.ParquetFile:
    opened = pq.ParquetFile(source)
    columns = [opened.schema.column(place) for place in range(opened.metadata.num_columns)]
    texts = [column.path for column in columns if column.logical_type.type == "STRING"]
    return pq.ParquetFile(source, metadata=opened.metadata, read_dictionary=texts)


def _readable_groups(opened: pq.ParquetFile, names: Collection[str], limit: int) -> list[int]:
    """The row groups from the beginning whose wanted columns, by their own word, unpack within the limit."""
    described = [opened.metadata.row_group(number) for number in range(opened.metadata.num_row_groups)]
    chunks = [[group.column(place) for place in range(group.num_columns)] for group in described]
    sizes = [
        sum(
            chunk.total_uncompressed_size for chunk in group if chunk.path_in_schema.split(".", 1)[0] in names
        )
        for group in chunks
    ]
    return [number for number, total in enumerate(accumulate(sizes)) if total <= limit]


def _parts(
    opened: pq.ParquetFile, names: Collection[str], limit: int
) -> Iterator[tuple[pa.RecordBatch, Sizes]]:
    """Give the rows in parts that can be written out at once, with their sizes, as far as the limit lets.

    Raises:
        ReadFault: There are more rows, which would go beyond it.
    """
    groups = _readable_groups(opened, names, limit)
    n_left, is_whole = limit, len(groups) == opened.metadata.num_row_groups
    for batch in opened.iter_batches(batch_size=_BATCH_ROWS, row_groups=groups, columns=names):
        sizes = row_bytes(batch)
        n_fit = int((np.cumsum(sizes) <= n_left).sum())
        n_left -= int(sizes[:n_fit].sum())
        piles = np.cumsum(sizes[:n_fit]) // _HELD_BYTES
        starts = np.flatnonzero(np.diff(piles, prepend=-1)).tolist()
        for start, end in pairwise([*starts, n_fit]):
            yield batch.slice(start, end - start), sizes[start:end]
        if n_fit < batch.num_rows:
            is_whole = False
            break
    if not is_whole:
        raise ReadFault("expanded_too_large", f"the rows come to more than {limit:,} bytes")


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


def _records(batch: pa.RecordBatch, sizes: Sizes, file: str, limits: Limits) -> Records:
    records = Records(file)
    is_long = sizes > limits.max_record_bytes
    for size, row in zip(sizes.tolist(), _rows(batch, is_long), strict=True):
        if row is None:
            records.refuse(None, None, "not_utf8", "a text of the row is not UTF-8")
        elif size > limits.max_record_bytes:
            records.refuse(None, None, "too_long", too_long(size, limits.max_record_bytes))
        else:
            present = {name: value for name, value in row.items() if value is not None}
            records.add(present, line=None, offset=None, raw=msgspec.json.encode(present))
    return records


def _rows(batch: pa.RecordBatch, is_long: npt.NDArray[np.bool_]) -> Iterator[dict[str, Any] | None]:
    """Give each row as a mapping, an empty one for a row that is too long; None is one that is not UTF-8."""
    if not is_long.any():
        try:
            yield from batch.to_pylist(maps_as_pydicts="strict")
        except UnicodeDecodeError:
            yield from (_row(batch.slice(number, 1)) for number in range(batch.num_rows))
        return
    for number, skipped in enumerate(is_long.tolist()):
        yield {} if skipped else _row(batch.slice(number, 1))


def _row(batch: pa.RecordBatch) -> dict[str, Any] | None:
    try:
        row: dict[str, Any] = batch.to_pylist(maps_as_pydicts="strict")[0]
    except UnicodeDecodeError:
        return None
    return row


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
