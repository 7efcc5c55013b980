"""Cut the text of a JSON array into its items, block by block.

Items are found by their brackets alone, so that an item that is not JSON spoils none of its
neighbours.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from grade.ingest.batch import Records, too_long
from grade.ingest.refusals import ReadFault
from grade.rules import RAW_BYTES

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN_ITEMS: Final = re.compile(rb'[^"\[\]{,]*+(?:' + _STRING + rb'[^"\[\]{,]*+)*+', re.DOTALL)
_INSIDE_ITEM: Final = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+', re.DOTALL)
_BLANK: Final = re.compile(rb"\s*+")
_IN_STRING: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_QUOTE: Final = b'"'
_COMMA: Final = b","
_OPEN: Final = (b"[", b"{")


class _Start(NamedTuple):
    """Where an item begins, and how."""

    line: int
    offset: int
    head: bytes


class ArrayCutter:
    """Cuts a stream of blocks that holds one array into its items, one record an item.

    Args:
        file: The file's name.
        offset: Where the first block begins in the file; its first visible byte is the bracket.
        limit: Longest item that is kept, in bytes.
    """

    def __init__(self, file: str, *, offset: int, limit: int) -> None:
        self._file, self._limit = file, limit
        self._data = b""  # what is held, at most a block and the beginning of an item
        self._at = 0  # where in it the current item begins
        self._scanned = 0  # how far into it the scan has come
        self._line, self._offset = 1, offset  # where in the file the current item begins
        self._depth = 0
        self._in_string = False
        self._long: _Start | None = None  # an item that is too long to be kept
        self._n_items = 0

    def cut(self, block: bytes) -> Records:
        """Return the items that end in this block."""
        batch = Records(self._file)
        self._data, self._at, self._scanned = self._data[self._at :] + block, 0, self._scanned - self._at
        if self._depth == 0 and self._n_items == 0:
            self._scanned = self._data.index(b"[") + 1
            self._leave(self._scanned)
            self._depth = 1
        while self._depth > 0 and self._find_end():
            self._take(batch)
        if self._depth == 0:
            self._scanned = len(self._data) - len(self._data[self._at :].lstrip())
            self._leave(self._scanned)
        elif self._long is not None or len(self._data) - self._at > self._limit:
            self._long = self._long or self._start()
            self._leave(self._scanned)
        return batch

    def close(self, fault: ReadFault | None) -> Records:
        """Return what is wrong with the array's end."""
        batch = Records(self._file)
        start = self._long or self._start()
        if self._depth > 0:
            reason, detail = "truncated", "the file ends before the array does"
            if fault is not None:
                reason, detail = fault.reason, fault.detail
            batch.refuse(start.line, start.offset, reason, detail, start.head)
            return batch
        if start.head:
            batch.refuse(start.line, start.offset, "bad_json", "text after the end of the array", start.head)
        if fault is not None:
            batch.refuse(start.line, start.offset, fault.reason, fault.detail)
        return batch

    def _find_end(self) -> bool:
        """Scan on to the comma or bracket that ends the current item; false if it is not held yet."""
        data, at = self._data, self._scanned
        ends = False
        while not ends and at < len(data):
            if self._in_string:
                at = _end(_IN_STRING, data, at)
                if data[at : at + 1] != _QUOTE:
                    break
                self._in_string, at = False, at + 1
            at = _end(_BETWEEN_ITEMS if self._depth == 1 else _INSIDE_ITEM, data, at)
            if at < len(data):
                ends = self._step(data[at : at + 1])
                at += 1
        self._scanned = at
        return ends

    def _step(self, mark: bytes) -> bool:
        """Take note of a mark; true when it ends an item of the array."""
        if mark == _QUOTE:  # of a string that goes on in the next block
            self._in_string = True
            return False
        if mark == _COMMA:
            return True
        self._depth += 1 if mark in _OPEN else -1
        return self._depth == 0

    def _take(self, batch: Records) -> None:
        """Cut off the item that ends where the scan stands."""
        start = self._start()
        item = self._data[self._at : self._scanned - 1].strip()
        if self._long is not None:
            size = self._offset + self._scanned - 1 - self._at - self._long.offset
            detail = too_long(size, self._limit)
            batch.refuse(self._long.line, self._long.offset, "too_long", detail, self._long.head)
        elif item:
            batch.add_text(item, line=start.line, offset=start.offset, limit=self._limit)
        elif self._depth > 0 or self._n_items > 0:
            batch.refuse(start.line, start.offset, "bad_json", "the array has a comma with no item beside it")
        self._long = None
        self._n_items += 1
        self._leave(self._scanned)

    def _start(self) -> _Start:
        """Return where the current item really begins, behind its white space."""
        first = _end(_BLANK, self._data, self._at)
        line = self._line + self._data.count(b"\n", self._at, first)
        return _Start(line, self._offset + first - self._at, self._data[first : first + RAW_BYTES])

    def _leave(self, end: int) -> None:
        """Leave behind what is held up to `end`."""
        self._line += self._data.count(b"\n", self._at, end)
        self._offset += end - self._at
        self._at = end


def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """Return where a pattern that also matches nothing stops matching."""
    return pattern.match(data, at).end()  # type: ignore[union-attr]
