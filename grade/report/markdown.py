"""Markdown pieces: text that a model wrote comes out as the text it is, never as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~&$#!{}^=@])")
_BREAKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_HIDDEN: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_LINKS: Final = re.compile(r"(https?|ftp)(:)|(www)(\.)", re.IGNORECASE)
_LONGEST: Final = 600

NOT_MEASURED: Final = "–"
"""How a table shows a score that is null."""


@lru_cache(maxsize=8_192)  # the same gold texts stand in every model's scorecard
def escape(text: str) -> str:
    r"""Return the text for use inside a Markdown line or table cell.

    Line ends become spaces, marks that Markdown reads are escaped, links are taken apart,
    invisible and direction-changing characters vanish, and long text is cut.

    Examples:
        >>> escape("a | b\n# *c*")
        'a \\| b \\# \\*c\\*'
    """
    return _LINKS.sub(r"\1\3\\\2\4", _MARKUP.sub(r"\\\1", plain(text)))


def plain(text: str) -> str:
    """Return the text on one line, without control, invisible or direction-changing characters."""
    line = _HIDDEN.sub("", _BREAKS.sub(" ", text)).strip()
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + " …"


def quote(text: str) -> str:
    """Return the escaped text between quotation marks."""
    return f"“{escape(text)}”"


def score(value: float | None) -> str:
    """Return a score with three places, or the sign for one that was not measured."""
    return NOT_MEASURED if value is None else f"{value:.3f}"


def percent(value: float | None) -> str:
    """Return a share as a percentage that never rounds up to the whole or down to nothing.

    Examples:
        >>> percent(0.9999), percent(0.00001), percent(1.0), percent(None)
        ('over 99 %', 'under 1 %', '100 %', '–')
    """
    if value is None:
        return NOT_MEASURED
    if 0 < value < 0.01:  # noqa: PLR2004
        return "under 1 %"
    if 0.99 < value < 1:  # noqa: PLR2004
        return "over 99 %"
    return f"{100 * value:.0f} %"


def number(value: float) -> str:
    """Return a number as people write it: no exponent where that reads well, no idle digits.

    Examples:
        >>> number(135.0), number(0.0321), number(1234567.5)
        ('135', '0.0321', '1,234,567.5')
    """
    return f"{value:,.10g}" if abs(value) < 1e15 else f"{value:g}"  # noqa: PLR2004


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, n_text: int = 1) -> list[str]:
    """Return the lines of a table; the first `n_text` columns are text, the others numbers.

    Cells are written as they are: escape what a model wrote before.
    """
    rule = [":--" if place < n_text else "--:" for place in range(len(headings))]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)]
