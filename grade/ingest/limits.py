"""What one record and one file may hold at most, so that no input takes the machine down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what is read; a record beyond one is refused, its neighbours are not.

    Attributes:
        max_record_bytes: Longest record (line, or item of an array).
        max_depth: Deepest nesting of structured_metrics.
        max_entries: Most entries in a list of one record.
        max_metrics: Most values in the structured_metrics of one record.
        max_expanded_bytes: Most bytes that one compressed file may unpack to.
        max_refused: Refused records after which the rest of a file is left unread.
    """

    max_record_bytes: int = 32 * 2**20
    max_depth: int = 64
    max_entries: int = 10_000
    max_metrics: int = 100_000
    max_expanded_bytes: int = 16 * 2**30
    max_refused: int = 100_000


DEFAULT_LIMITS: Final = Limits()
"""The limits when nothing is said: far beyond what real answers need."""
