"""Read one file in blocks, uncompressed, with the hash of its bytes as they are on disk.

Whatever goes wrong while reading is told as a `ReadFault`; what was read before it stands.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO, Final, NamedTuple, Self

import zstandard

from grade.ingest.feed import BLOCK_BYTES
from grade.ingest.limits import Limits
from grade.ingest.refusals import ReadFault
from pipelines.files import Found

_BLOCK: Final = 2**20
_ZSTD_BLOCK: Final = 2**10  # which a hostile file may still blow up to 32 MB
_ZSTD_WINDOW: Final = 2**27
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_PARQUET_MAGIC: Final = b"PAR1"


class InputFile(NamedTuple):
    """A file that was read, for the manifest.

    Attributes:
        name: The file as given, or below the folder as given; "/" between parts.
        sha256: Hash of the bytes on disk (compressed ones as they are).
        n_bytes: Their number.
    """

    name: str
    sha256: str
    n_bytes: int


class Source:
    """An open input file; a context manager.

    Args:
        found: The file.
        limits: How far a compressed file may expand.

    Raises:
        ReadFault: The file cannot be opened.
    """

    def __init__(self, found: Found, *, limits: Limits) -> None:
        if found.fault is not None:
            raise found.fault
        self._found, self._limits = found, limits
        try:
            self._file = found.path.open("rb")
        except OSError as error:
            raise _unreadable(error) from error
        try:
            self._head = self._file.peek(4)[:4]
        except OSError as error:
            self._file.close()
            raise _unreadable(error) from error
        self._hashed = _Hashed(self._file)
        self._is_broken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def is_parquet(self) -> bool:
        """The file is Parquet, by its first bytes or its name."""
        return self._head == _PARQUET_MAGIC or self._found.suffix == ".parquet"

    @property
    def file(self) -> BinaryIO:
        """The file itself, for formats that are not read from beginning to end."""
        return self._file

    def blocks(self) -> Iterator[bytes]:
        """Give the file's bytes, uncompressed, from beginning to end.

        Raises:
            ReadFault: The rest cannot be read.
        """
        limit = n_left = self._limits.max_expanded_bytes
        is_compressed = self._head.startswith((_GZIP_MAGIC, _ZSTD_MAGIC))
        try:
            for block in self._unpacked():
                if is_compressed and len(block) > n_left:
                    yield block[:n_left]
                    raise ReadFault("expanded_too_large", f"the file unpacks to more than {limit:,} bytes")
                n_left -= len(block)
                yield block
        except EOFError as error:
            raise ReadFault("truncated", "the compressed file is cut off") from error
        except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
            raise ReadFault("bad_compression", str(error)) from error
        except OSError as error:
            self._is_broken = True
            raise _unreadable(error) from error

    def _unpacked(self) -> Iterator[bytes]:
        if self._head.startswith(_GZIP_MAGIC):
            return _gunzipped(self._hashed)
        if self._head.startswith(_ZSTD_MAGIC):
            return _unzstd(self._hashed)
        return iter(lambda: self._hashed.read(BLOCK_BYTES), b"")

    def entry(self) -> InputFile | None:
        """Return the file's hash and size, reading what is left of it; None after a fault of the disk.

        Raises:
            ReadFault: The rest cannot be read.
        """
        if self._is_broken:
            return None
        try:
            if self.is_parquet:
                self._file.seek(0)
            while self._hashed.read(_BLOCK):
                pass
        except OSError as error:
            raise _unreadable(error) from error
        return InputFile(self._found.name, self._hashed.hash.hexdigest(), self._hashed.size)


class _Hashed(io.RawIOBase):
    """A file to read from, once and in order, that hashes what is read."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self.hash = hashlib.sha256()
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.hash.update(data)
        self.size += len(data)
        return data


def _gunzipped(file: _Hashed) -> Iterator[bytes]:
    with gzip.GzipFile(mode="rb", fileobj=file) as unpacked:
        while block := unpacked.read1(_BLOCK):
            yield block


def _unzstd(file: _Hashed) -> Iterator[bytes]:
    """Unpack frame after frame; a frame that does not end is an end of file too early."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame = unpacker.decompressobj()
    is_within = False
    while data := file.read(_ZSTD_BLOCK):
        while data:
            is_within = True
            yield frame.decompress(data)
            data = b""
            if frame.eof:
                data, frame, is_within = frame.unused_data, unpacker.decompressobj(), False
    if is_within:
        raise EOFError


def _unreadable(error: OSError) -> ReadFault:
    return ReadFault("unreadable_file", error.strerror or str(error))
