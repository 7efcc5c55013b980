"""Whether what a judge quotes stands in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORDS: Final = re.compile(r"[^\W_]+")
_GAPS: Final = re.compile(r"\.{3,}|…|\[\.*\]")


def missing_quotes(quotes: Iterable[str], answer: str) -> list[str]:
    """Return the quotes whose words do not stand in the answer, one after another.

    Letter case, punctuation, markup and white space do not count; digits do. A quote with
    dots that leave something out is held to each of its pieces, in their order. A quote
    without any word quotes nothing and is missing.

    Examples:
        >>> missing_quotes(["rate was **11.6%**", "rate was 116%"], "The rate was 11.6% in May.")
        ['rate was 116%']
        >>> missing_quotes(["The rate ... in May"], "The rate was 11.6% in May.")
        []
    """
    words = _spaced(answer)
    return [quote for quote in quotes if not _stands(quote, words)]


def _stands(quote: str, words: str) -> bool:
    pieces = [piece for piece in map(_spaced, _GAPS.split(quote)) if piece.strip()]
    place = 0
    for piece in pieces:
        found = words.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece) - 1
    return bool(pieces)


def _spaced(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.casefold()))} "
