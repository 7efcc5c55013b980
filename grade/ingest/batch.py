"""A batch of records as cut from one file, not yet decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grade.ingest.refusals import Refusal
from grade.rules import RAW_BYTES


@dataclass(slots=True)
class Records:
    """Records of one file with their places; parallel lists.

    Attributes:
        file: The file's name.
        items: The records: JSON text as bytes, or mappings for Parquet and CSV.
        lines: First line of each, from 1; None for Parquet.
        offsets: Byte offset of each in the uncompressed file; None for Parquet.
        raws: The first bytes of each, for a later refusal.
        refused: What could not even be cut into a record.
    """

    file: str
    items: list[Any] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    offsets: list[int | None] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.items) + len(self.refused)

    def add(self, item: object, *, line: int | None, offset: int | None, raw: bytes) -> None:
        """Take in one record."""
        self.items.append(item)
        self.lines.append(line)
        self.offsets.append(offset)
        self.raws.append(raw[:RAW_BYTES])

    def add_text(self, text: bytes, *, line: int, offset: int, limit: int) -> None:
        """Take in the text of one record, unless it is blank; refuse it if it is too long."""
        if not text or text.isspace():
            return
        if len(text) > limit:
            self.refuse(line, offset, "too_long", too_long(len(text), limit), text)
        else:
            self.add(text, line=line, offset=offset, raw=text)

    def refuse(
        self, line: int | None, offset: int | None, reason: str, detail: str, raw: bytes = b""
    ) -> None:
        """Note that a record was refused."""
        self.refused.append(Refusal(self.file, line, offset, reason, detail, raw[:RAW_BYTES]))

    def pieces(self, size: int) -> Iterator[Records]:
        """Give the batch in pieces of at most `size` records to decode; the refused ones come first."""
        if len(self.items) <= size:
            yield self
            return
        yield Records(self.file, refused=self.refused)
        for start in range(0, len(self.items), size):
            part = slice(start, start + size)
            yield Records(self.file, self.items[part], self.lines[part], self.offsets[part], self.raws[part])

    def without(self, failed: Mapping[int, tuple[str, str]]) -> Records:
        """Return the batch with some records moved to the refused ones.

        Args:
            failed: Reason and detail of each such record, by its place in the batch.
        """
        if not failed:
            return self
        good = Records(self.file, refused=list(self.refused))
        for number, row in enumerate(zip(self.items, self.lines, self.offsets, self.raws, strict=True)):
            item, line, offset, raw = row
            if number in failed:
                good.refuse(line, offset, *failed[number], raw)
            else:
                good.add(item, line=line, offset=offset, raw=raw)
        return good


def too_long(size: int, limit: int) -> str:
    """Return the words for a record that is too long."""
    return f"the record has {size:,} bytes; the limit is {limit:,}"
