"""Sentences of prose, with their places; abbreviations such as "U.S." and "e.g." do not end one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from grade.answers.blocks import Span

_END: Final = re.compile(r"""(?<![.!?…])[.!?…]++["')\]*_”’]*+(?=\s)""")
_WORD: Final = re.compile(r"[\w.&'-]{0,20}$")
_NEXT: Final = re.compile(r"""\s*+["'(\[*_“‘]*+([^\W_]+|.)""")
_ABBREVIATED: Final = (
    "e.g i.e eg ie vs cf approx ca est avg max min incl excl resp viz al fig figs tab no nos nr pp p pt sec "
    "ch vol ed eds dr mr mrs ms prof st ave dept dist inc ltd co corp gov sen rep jan feb mar apr jun jul "
    "aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
)
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())
_OPEN_ENDED: Final = frozenset(
    {"etc", "u.s", "u.k", "u.n", "a.m", "p.m", "ph.d", "d.c", "inc", "ltd", "co", "corp", "st", "ave"}
)
_BEFORE_NUMBERS: Final = frozenset({"no", "nos", "nr", "fig", "figs", "p", "pp", "sec", "ch", "vol", "tab"})
_STARTING: Final = (
    "the this that these those it its in on at of for by as a an and but or so if when while we they he she "
    "there here however overall still also each all no most"
)
_STARTERS: Final = frozenset(_STARTING.split())
_INITIALS: Final = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]$")


def sentences(text: str, span: Span) -> Iterator[Span]:
    """Cut a stretch of text into sentences, without the white space around them."""
    start = span.start
    for end in _END.finditer(text, span.start, span.end):
        if _ends(text, end, span):
            yield from _trimmed(text, start, end.end())
            start = end.end()
    yield from _trimmed(text, start, span.end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
    if any(character.isalnum() for character in piece):
        yield Span(start + left, start + right)


def _ends(text: str, end: re.Match[str], span: Span) -> bool:
    """Tell whether a mark ends its sentence, from the word before it and the one after."""
    following = _NEXT.match(text, end.end(), span.end)
    if following is None or end[0][0] in "!?…" or end[0].startswith(".."):
        return following is None or not following[1][0].islower()
    found = _WORD.search(text, max(span.start, end.start() - 20), end.start())
    word = found[0].strip("'-&.").lower() if found else ""
    after = following[1]
    if after[0].islower():
        return False
    if word in _OPEN_ENDED or (_INITIALS.match(word) and "." in word and word not in _ABBREVIATIONS):
        return after.lower() in _STARTERS
    if word in _BEFORE_NUMBERS:
        return not after[0].isdigit()
    if word in _ABBREVIATIONS:
        return word in {"est", "max", "min", "sun", "sat", "mar", "al", "co"} and after.lower() in _STARTERS
    return not (len(word) == 1 and word.isalpha() and word != "i")
