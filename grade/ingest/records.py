"""Cut a JSON file into records, each with its line and byte offset.

A file is one document, one array, or a record a line; which of them is seen from its beginning.
It is held in blocks, never whole, unless it is one document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from grade.ingest.arrays import ArrayCutter
from grade.ingest.batch import Records, too_long
from grade.ingest.feed import Feed
from grade.ingest.layout import find_layout, foreign_encoding
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.lines import LineCutter
from grade.ingest.refusals import ReadFault
from grade.rules import RAW_BYTES

_BOM: Final = b"\xef\xbb\xbf"


class _Cutter(Protocol):
    def cut(self, block: bytes) -> Records: ...
    def close(self, fault: ReadFault | None) -> Records: ...


def cut_records(
    blocks: Iterable[bytes], *, file: str, is_document: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Records]:
    r"""Cut one file into batches of records, in the order of the file.

    A byte order mark is left out. A file in another encoding than UTF-8 is refused as a whole. A
    fault that `blocks` raises as `ReadFault` ends the file there, with one refusal.

    Args:
        blocks: The file's bytes, uncompressed, in pieces of any size.
        file: The file's name, for the places.
        is_document: The name promises one JSON document (`.json`) rather than lines.
        limits: What a record may hold at most.

    Yields:
        Batches; each record and each refusal of the file is in exactly one.

    Examples:
        >>> blocks = [b'{"a": 1}\n\n{"a"', b": 2}\n"]
        >>> [(batch.items, batch.lines, batch.offsets) for batch in cut_records(blocks, file="a.jsonl")]
        [([b'{"a": 1}', b'{"a": 2}'], [1, 3], [0, 10])]
    """
    feed = Feed(blocks)

    def choose(head: bytes, offset: int) -> _Cutter:
        layout = find_layout(head, is_document=is_document)
        return _CUTTERS[layout](file, offset=offset, limit=limits.max_record_bytes)

    yield from _cut(feed, file, choose)


def cut_lines(blocks: Iterable[bytes], *, file: str, limits: Limits = DEFAULT_LIMITS) -> Iterator[Records]:
    """Cut one file into its lines, blank ones included; otherwise as `cut_records`."""

    def choose(_: bytes, offset: int) -> _Cutter:
        return LineCutter(file, offset=offset, limit=limits.max_record_bytes, keeps_blank=True)

    yield from _cut(Feed(blocks), file, choose)


def _cut(feed: Feed, file: str, choose: Callable[[bytes, int], _Cutter]) -> Iterator[Records]:
    encoding = foreign_encoding(feed.peek())
    if encoding is not None:
        batch = Records(file)
        detail = f"the file is {encoding}; only UTF-8 is read"
        batch.refuse(1, 0, "wrong_encoding", detail, feed.peek()[:RAW_BYTES])
        yield batch
        return
    offset = len(_BOM) if feed.peek().startswith(_BOM) else 0
    feed.skip(offset)
    cutter = choose(feed.peek(), offset)
    for block in feed:
        yield from _filled(cutter.cut(block))
    yield from _filled(cutter.close(feed.fault))


def _filled(batch: Records) -> Iterator[Records]:
    if len(batch) > 0:
        yield batch


class _DocumentCutter:
    """Takes the whole file as one record."""

    def __init__(self, file: str, *, offset: int, limit: int) -> None:
        self._file, self._offset, self._limit = file, offset, limit
        self._pieces: list[bytes] = []
        self._size = 0

    def cut(self, block: bytes) -> Records:
        self._size += len(block)
        if self._size <= self._limit or not self._pieces:
            self._pieces.append(block)
        return Records(self._file)

    def close(self, fault: ReadFault | None) -> Records:
        batch = Records(self._file)
        text = b"".join(self._pieces)
        document = text.strip()
        lead = len(text) - len(text.lstrip())
        line, offset = 1 + text.count(b"\n", 0, lead), self._offset + lead
        if fault is not None:
            batch.refuse(line, offset, fault.reason, fault.detail, document)
        elif self._size > self._limit:
            batch.refuse(line, offset, "too_long", too_long(self._size, self._limit), document)
        elif not document:
            batch.refuse(1, self._offset, "truncated", "the file is empty; a JSON document is not")
        else:
            batch.add_text(document, line=line, offset=offset, limit=self._limit)
        return batch


_CUTTERS: Final[dict[str, type[LineCutter | ArrayCutter | _DocumentCutter]]] = {
    "lines": LineCutter,
    "array": ArrayCutter,
    "document": _DocumentCutter,
}
