"""State a fact with another value: find the number in its claim and write the new one in its place."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_IDENTIFIER: Final = re.compile(r"\b[A-Z][A-Z0-9]*-\d{3,}\b")
_MONTH: Final = re.compile(
    r"\b(?:January|February|March|April|June|July|August|September|October|November|December)\b"
)


def restate(claim: str, old: float, new: float) -> str | None:
    """Return a claim with its number for `old` replaced by `new`, None if it does not state `old`.

    The new number has as many decimals as the old one, and is a percentage where that was one.

    >>> restate("Attendance stood at 80.2% in 2025.", 0.8019, 0.751)
    'Attendance stood at 75.1% in 2025.'
    >>> restate("SCH-001 enrolls 54 of the students.", 54, 44)
    'SCH-001 enrolls 44 of the students.'
    """
    for found in _NUMBER.finditer(claim):
        text = found[0].replace(",", "")
        decimals = len(text.partition(".")[2])
        for scale in (1, 100):
            if abs(float(text) - old * scale) <= 0.5 * 10**-decimals + 1e-9 and _fits(
                claim, found.end(), scale
            ):
                return f"{claim[: found.start()]}{new * scale:.{decimals}f}{claim[found.end() :]}"
    return None


def _fits(claim: str, end: int, scale: int) -> bool:
    return scale == 1 or claim[end : end + 1] == "%"


def entities(claim: str) -> list[tuple[str, str]]:
    """Return the entities that a claim names, each as (kind, name), in order.

    >>> entities("TUT-007 taught at SCH-002 in October.")
    [('TUT', 'TUT-007'), ('SCH', 'SCH-002'), ('month', 'October')]
    """
    named = [(found.start(), found[0].split("-")[0], found[0]) for found in _IDENTIFIER.finditer(claim)]
    months = [(found.start(), "month", found[0]) for found in _MONTH.finditer(claim)]
    return [(kind, name) for _, kind, name in sorted(named + months)]
