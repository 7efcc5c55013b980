"""A stream of bytes in blocks of an even size, which ends early, but cleanly, at a fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from grade.ingest.refusals import ReadFault

BLOCK_BYTES: Final = 8 * 2**20
"""Size of a block: thousands of usual records, and little memory."""


class Feed:
    """Blocks of at least `BLOCK_BYTES` bytes, the last one excepted.

    Args:
        blocks: The stream, in pieces of any size.

    Attributes:
        fault: Why the stream ended early, once it has; None at a clean end.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self.fault: ReadFault | None = None
        self._blocks = iter(blocks)
        self._head: bytes | None = None

    def peek(self) -> bytes:
        """Return the first block, which will still be given out; empty if there is none."""
        if self._head is None:
            self._head = self._gather()
        return self._head

    def skip(self, size: int) -> None:
        """Leave out the first `size` bytes of the first block."""
        self._head = self.peek()[size:]

    def __iter__(self) -> Iterator[bytes]:
        block = self.peek()
        self._head = b""
        while block:
            yield block
            block = self._gather()

    def _gather(self) -> bytes:
        pieces, size = [], 0
        try:
            for piece in self._blocks:
                pieces.append(piece)
                size += len(piece)
                if size >= BLOCK_BYTES:
                    break
        except ReadFault as fault:
            self.fault = fault
        return b"".join(pieces)
