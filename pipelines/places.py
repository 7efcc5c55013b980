"""Where files lie: a path of this machine, or below `s3://bucket/prefix` on an object store.

Object stores are read and written by Arrow's own client. It takes keys and region as other tools
do, from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` or a profile, and another address
than that of AWS from `AWS_ENDPOINT_URL`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grade.errors import InputError, OutputError

if TYPE_CHECKING:  # commands read what the user names before an engine may load
    import polars as pl
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
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

    def download(self, path: Path) -> None:
        """Make a file of an object.

        Raises:
            OSError: There is no such object, or the store or the disk refuses.
        """
        from pyarrow import fs

        fs.copy_files(self.key, str(path), _object_store(), fs.LocalFileSystem(), use_threads=False)

    def names(self) -> list[str]:
        """Return the names of all objects below this prefix, from the prefix on, sorted.

        Raises:
            OSError: There is no such bucket, or the store refuses.
        """
        from pyarrow import fs

        store, bucket = _object_store(), self.key.split("/", 1)[0]
        found = store.get_file_info(fs.FileSelector(self.key, allow_not_found=True, recursive=True))
        if not found and store.get_file_info(bucket).type is fs.FileType.NotFound:
            raise FileNotFoundError(f"there is no bucket {bucket}")
        return sorted(one.path.removeprefix(f"{self.key}/") for one in found if one.is_file)

    def remove(self) -> None:
        """Remove an object, or all objects below this prefix; it is no fault when there are none.

        Raises:
            OSError: The store refuses.
        """
        from pyarrow import fs

        store, kind = _object_store(), _object_store().get_file_info(self.key).type
        if kind is fs.FileType.File:
            store.delete_file(self.key)
        elif kind is fs.FileType.Directory:
            store.delete_dir(self.key)


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


def read_frame(place: Place, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read a whole Parquet file, or some of its columns.

    Raises:
        OSError: It cannot be read.
        PolarsError: It is damaged.
    """
    import polars as pl

    from pipelines.table_files import read_table

    if isinstance(place, Path):
        return read_table(place, columns)
    with open_parquet(place) as file:
        return pl.DataFrame(file.read(columns=list(columns) if columns else None))


def write_frame(frame: pl.DataFrame, place: Place) -> None:
    """Write a whole Parquet file that is read again soon.

    Raises:
        OSError: The disk or the object store refuses.
    """
    if isinstance(place, Path):
        frame.write_parquet(place, compression="lz4", statistics=False)
        return
    content = BytesIO()
    frame.write_parquet(content, compression="lz4", statistics=False)
    place.write_bytes(content.getvalue())


@contextmanager
def open_parquet(place: Place) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; of one on an object store only the ranges that are asked for travel.

    Raises:
        OSError: It cannot be read.
        ArrowInvalid: It is damaged.
    """
    import pyarrow.parquet as pq

    if isinstance(place, Path):
        with pq.ParquetFile(place) as file:
            yield file
        return
    with (
        _object_store().open_input_file(place.key) as source,
        pq.ParquetFile(source, pre_buffer=True) as file,
    ):
        yield file


def open_dataset(place: Place) -> ds.Dataset:
    """Open a Parquet file without reading its rows; of one on an object store only what is asked for travels.

    Raises:
        OSError: It cannot be read.
        ArrowInvalid: It is damaged.
    """
    import pyarrow.dataset as ds  # which loads pandas where that is installed

    if isinstance(place, Path):
        return ds.dataset(place, format="parquet")
    return ds.dataset(place.key, filesystem=_object_store(), format="parquet")


@contextmanager
def asking(place: Place) -> Iterator[None]:
    """Turn a refusal of the object store into an error that names the place.

    Raises:
        OutputError: There is no such bucket, the keys do not open it, and the like.
    """
    try:
        yield
    except OSError as fault:
        raise OutputError(
            "the object store refuses",
            where=str(place),
            got=str(fault),
            hint="see AWS_ENDPOINT_URL, AWS_REGION and the keys in the environment",
        ) from fault


@cache
def _object_store() -> FileSystem:
    from pyarrow import fs

    # Arrow asks AWS itself for the region where none is named, which other stores do not need.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    # A small object is then written by one request instead of three.
    return fs.S3FileSystem(region=region, endpoint_override=endpoint or None, allow_delayed_open=True)
