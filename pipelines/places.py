"""Where files lie: a path of this machine, or below `s3://bucket/prefix` on an object store.

Object stores are read and written by Arrow's own client. It takes keys and region as other tools
do, from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` or a profile, and another address
than that of AWS from `AWS_ENDPOINT_URL`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl
import pyarrow.parquet as pq

from grade.errors import InputError
from pipelines.table_files import read_table

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_S3: Final = "s3://"


@dataclass(frozen=True, slots=True)
class Remote:
    """An object, or a prefix of objects, of an object store.

    Attributes:
        key: Bucket and name, with "/" between parts.

    Examples:
        >>> str(Remote("lake/runs") / "store.json")
        's3://lake/runs/store.json'
    """

    key: str

    def __truediv__(self, name: str) -> Remote:
        return Remote(f"{self.key}/{name}")

    def __str__(self) -> str:
        return f"{_S3}{self.key}"

    def read_bytes(self) -> bytes:
        """Read a whole object.

        Raises:
            OSError: There is no such object, or the store refuses.
        """
        with _object_store().open_input_stream(self.key) as stream:
            content: bytes = stream.read()
        return content

    def exists(self) -> bool:
        """Tell whether there is an object of this name.

        Raises:
            OSError: The store refuses.
        """
        return bool(_object_store().get_file_info(self.key).is_file)

    def write_bytes(self, content: bytes) -> None:
        """Make an object; whoever reads it sees the earlier one or this one, whole.

        Raises:
            OSError: The store refuses.
        """
        with _object_store().open_output_stream(self.key) as stream:
            stream.write(content)

    def upload(self, path: Path) -> None:
        """Make an object of a file.

        Raises:
            OSError: The store refuses.
        """
        from pyarrow import fs

        fs.copy_files(str(path), self.key, fs.LocalFileSystem(), _object_store(), use_threads=False)


Place = Path | Remote


def place_of(text: str) -> Place:
    """Read what a user names: a path, or `s3://bucket/prefix`.

    Raises:
        InputError: It is of another kind of store, or names no bucket.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        return Path(text)
    key = text[len(scheme[0]) :].strip("/")
    if scheme[0].lower() != _S3 or not key:
        raise InputError(
            "this is no place that is read here", where=text, expected="a folder, or s3://BUCKET/PREFIX"
        )
    return Remote(key)


def read_frame(place: Place) -> pl.DataFrame:
    """Read a whole Parquet file.

    Raises:
        OSError: It cannot be read.
        PolarsError: It is damaged.
    """
    if isinstance(place, Path):
        return read_table(place)
    with open_parquet(place) as file:
        return pl.DataFrame(file.read())


@contextmanager
def open_parquet(place: Place) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; of one on an object store only the ranges that are asked for travel.

    Raises:
        OSError: It cannot be read.
        ArrowInvalid: It is damaged.
    """
    if isinstance(place, Path):
        with pq.ParquetFile(place) as file:
            yield file
        return
    with (
        _object_store().open_input_file(place.key) as source,
        pq.ParquetFile(source, pre_buffer=True) as file,
    ):
        yield file


@cache
def _object_store() -> FileSystem:
    from pyarrow import fs

    # Arrow asks AWS itself for the region where none is named, which other stores do not need.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    return fs.S3FileSystem(region=region, endpoint_override=endpoint or None)
