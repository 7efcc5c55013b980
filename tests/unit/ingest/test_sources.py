"""Files as they are on disk: compressed, cut off, blown up, gone."""

from __future__ import annotations

import gzip
import hashlib

import pytest
import zstandard

from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.refusals import ReadFault
from pipelines.files import Found
from pipelines.sources import Source

TEXT = b"".join(
    b'{"n": %d, "text": "%s"}\n' % (n, hashlib.sha256(b"%d" % n).hexdigest().encode()) for n in range(9000)
)


def zstd(data):
    return zstandard.ZstdCompressor().compress(data)


COMPRESS = {"gzip": gzip.compress, "zstd": zstd}


def read(tmp_path, data, *, limits=DEFAULT_LIMITS):
    """Read a file: its bytes, the fault that ended it, its entry."""
    path = tmp_path / "f.jsonl"
    path.write_bytes(data)
    pieces, fault = [], None
    with Source(Found("f.jsonl", path, ".jsonl"), limits=limits) as source:
        try:
            pieces.extend(source.blocks())
        except ReadFault as found:
            fault = found.reason
        return b"".join(pieces), fault, source.entry()


@pytest.mark.parametrize(
    "write",
    [
        lambda data: data,
        gzip.compress,
        zstd,
        lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
        lambda data: zstd(data[:9]) + zstd(data[9:]),
    ],
)
def test_a_file_is_unpacked_by_its_first_bytes_and_hashed_as_it_is(write, tmp_path):
    data = write(TEXT)
    text, fault, entry = read(tmp_path, data)
    assert (text, fault) == (TEXT, None)
    assert entry == ("f.jsonl", hashlib.sha256(data).hexdigest(), len(data))


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_file_that_is_cut_off_gives_what_it_holds_and_says_so(kind, share, tmp_path):
    data = COMPRESS[kind](TEXT)
    data = data[: int(len(data) * share)]
    text, fault, entry = read(tmp_path, data)
    assert fault == "truncated"
    assert TEXT.startswith(text)
    assert len(text) > (share - 0.3) * len(TEXT)
    assert entry.n_bytes == len(data)


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_file_is_told(kind, tmp_path):
    data = bytearray(COMPRESS[kind](TEXT))
    data[len(data) // 2] ^= 0xFF
    data[-6] ^= 0xFF
    _, fault, _ = read(tmp_path, bytes(data))
    assert fault in {"bad_compression", "truncated"}


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_follows_the_compressed_data_is_told(kind, tmp_path):
    text, fault, _ = read(tmp_path, COMPRESS[kind](TEXT) + b"more text")
    assert (text, fault) == (TEXT, "bad_compression")


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_bomb_is_left_at_the_limit(kind, tmp_path):
    data = COMPRESS[kind](bytes(300 * 2**20))
    assert len(data) < 2**19
    limit = 2**20
    text, fault, entry = read(tmp_path, data, limits=Limits(max_expanded_bytes=limit))
    assert fault == "expanded_too_large"
    assert len(text) <= limit
    assert entry.n_bytes == len(data)


def test_a_plain_file_has_no_such_limit(tmp_path):
    text, fault, _ = read(tmp_path, TEXT, limits=Limits(max_expanded_bytes=10))
    assert (text, fault) == (TEXT, None)


def test_an_empty_file_is_empty(tmp_path):
    assert read(tmp_path, b"")[:2] == (b"", None)


def test_a_file_that_vanished_is_told(tmp_path):
    with pytest.raises(ReadFault, match="unreadable_file"):
        Source(Found("f.jsonl", tmp_path / "gone.jsonl", ".jsonl"), limits=DEFAULT_LIMITS)


def test_a_fault_that_was_found_before_is_told(tmp_path):
    found = Found("f.jsonl", tmp_path / "f.jsonl", ".jsonl", ReadFault("outside_folder", "a link"))
    with pytest.raises(ReadFault, match="outside_folder"):
        Source(found, limits=DEFAULT_LIMITS)
