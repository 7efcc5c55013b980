r"""Cut blocks of bytes into lines. Only \n ends a line; a \r before it is white space."""

from __future__ import annotations

from itertools import accumulate

from grade.ingest.batch import Records, too_long
from grade.ingest.refusals import ReadFault
from grade.rules import RAW_BYTES


class LineCutter:
    """Cuts a stream of blocks into lines, one record a line; blank lines are none.

    Args:
        file: The file's name.
        offset: Where the first block begins in the file.
        limit: Longest line that is kept, in bytes.
        keeps_blank: Blank lines are records, too.
    """

    def __init__(self, file: str, *, offset: int, limit: int, keeps_blank: bool = False) -> None:
        self._file, self._limit = file, limit
        self._line, self._offset = 1, offset
        self._keeps_blank = keeps_blank
        self._pending: list[bytes] = []
        self._held = 0

    def cut(self, block: bytes) -> Records:
        """Return the lines that end in this block."""
        batch = Records(self._file)
        end = block.find(b"\n") + 1
        if self._held > self._limit and end:
            self._refuse_long(batch, self._held + end - 1)
            self._line, self._offset = self._line + 1, self._offset + self._held + end
            self._pending, self._held = [], 0
            block = block[end:]
        end = block.rfind(b"\n") + 1
        if end:
            self._take(batch, b"".join((*self._pending, block[:end])))
            self._pending, self._held = [], 0
        self._hold(block[end:])
        return batch

    def close(self, fault: ReadFault | None) -> Records:
        """Return what stands after the last line end; at a fault, that is lost with its reason."""
        batch = Records(self._file)
        text = b"".join(self._pending)
        if fault is not None:
            batch.refuse(self._line, self._offset, fault.reason, fault.detail, text)
        elif self._held > self._limit:
            self._refuse_long(batch, self._held)
        else:
            self._add(batch, text, self._line, self._offset)
        return batch

    def _take(self, batch: Records, data: bytes) -> None:
        texts = data.split(b"\n")
        texts.pop()
        offsets = accumulate((len(text) + 1 for text in texts), initial=self._offset)
        for line, (text, offset) in enumerate(zip(texts, offsets, strict=False), self._line):
            self._add(batch, text, line, offset)
        self._line += len(texts)
        self._offset += len(data)

    def _add(self, batch: Records, text: bytes, line: int, offset: int) -> None:
        if len(text) > self._limit:
            batch.refuse(line, offset, "too_long", too_long(len(text), self._limit), text)
        elif self._keeps_blank or not (text.isspace() or not text):
            batch.add(text, line=line, offset=offset, raw=text)

    def _hold(self, rest: bytes) -> None:
        """Keep the beginning of a line; of one that is too long only its head."""
        self._pending.append(rest)
        self._held += len(rest)
        if self._held > self._limit:
            self._pending = [b"".join(self._pending)[:RAW_BYTES]]

    def _refuse_long(self, batch: Records, size: int) -> None:
        detail = too_long(size, self._limit)
        batch.refuse(self._line, self._offset, "too_long", detail, b"".join(self._pending))
