"""Write JSON Lines, plain or compressed, without a clock in the bytes."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import zstandard

from pipelines.packs.files import jsonl_bytes


def write_jsonl(path: Path, values: Iterable[Any]) -> None:
    """Write values as JSON Lines, compressed as the file's ending says (.gz, .zst, or not).

    The same values give the same bytes for one version of the compressor.
    """
    data = jsonl_bytes(values)
    if path.suffix == ".gz":
        data = _gzip(data)
    elif path.suffix == ".zst":
        data = zstandard.ZstdCompressor(level=10).compress(data)
    path.write_bytes(data)


def _gzip(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as packed:
        packed.write(data)
    return buffer.getvalue()
