"""Metric lines: a name, a colon or an equals sign, and one quantity with its unit."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from grade.answers.blocks import Span
from grade.answers.plain import plain

_LONGEST_LINE: Final = 200
_MOST_NAME_WORDS: Final = 10
_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]++)?+|[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,3})?+"
)
_UNIT: Final = (
    r"%|percent(?:age)?(?: points?)?|per cent|pp|p\.p\.|%[- ]?points?|points?|pts?|x|times|students?"
    r"|sessions?|schools?|tutors?|records?|days?|hours?|minutes?|weeks?|months?|observations?|groups?|rows?|usd|dollars?|ms|seconds?"
)
_VALUE: Final = re.compile(
    rf"(?:about |approximately |approx\. |roughly |around |≈ ?|~ ?)?"
    rf"(?P<value>[-+−–]?[$€£]?{_NUMBER}(?: ?-?(?P<unit>{_UNIT}))?+)(?P<note> ?\([^()]{{1,120}}\))?[.;,]?$",
    re.IGNORECASE,
)
_PLAIN_NUMBER: Final = re.compile(r"-?[0-9]++(?:\.[0-9]++)?+$")
_COUNTED: Final = re.compile(
    r" ?(?:students?|sessions?|schools?|tutors?|records?|days?|hours?|minutes?|weeks?|months?"
    r"|observations?|groups?|rows?|times|ms|seconds?|usd|dollars?)$",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r":\s|\s=\s|=|:(?=\*)|\s[-–—→]\s|\s->\s")
_KEY_GAP: Final = re.compile(r"[^\w.-]+|\.(?!\w)|(?<!\w)[.-]|[.-](?!\w)")
_DIGIT: Final = re.compile(r"[0-9]")
_STATEMENT: Final = re.compile(r"[a-z]{3}[.!?]\**\s|[0-9]\s?%")
_LONGEST_DIGITS: Final = 18


class Figure(NamedTuple):
    """A metric that a line states.

    Attributes:
        name: Its name as a key.
        value: A number, or a quantity with its unit as text.
        span: Where the line stands.
    """

    name: str
    value: float | int | str
    span: Span


def key_of(name: str) -> str:
    """Return a metric's name as a key: lower case, words joined by "_", identifiers as they are.

    Examples:
        >>> key_of("**IEP gap** (Oct)"), key_of("SCH-001 rate"), key_of("U.S. average")
        ('iep_gap_oct', 'sch-001_rate', 'us_average')
    """
    words = re.sub(r"\b((?:[a-z]\.){2,4})", lambda found: found[0].replace(".", ""), plain(name).lower())
    joined = _KEY_GAP.sub("_", words.replace("%", " percent ")).replace(".", "_")
    return re.sub("__+", "_", joined).strip("_")


def value_of(text: str) -> float | int | str | None:
    """Return the quantity that a text is as a whole, None if it is none.

    A number alone or with the name of what it counts is a number; one with another unit is kept as
    text, so that a reader sees the unit.

    Examples:
        >>> [value_of(text) for text in ("82.4%", "**268** sessions", "14.0 pp", "1,234", "up")]
        ['82.4%', 268, '14.0 pp', 1234, None]
    """
    found = _VALUE.match(plain(text)) if len(text) <= _LONGEST_LINE else None
    if found is None:
        return None
    value = found["value"].replace("−", "-").replace("–", "-")
    bare = _COUNTED.sub("", value).replace(",", "").removeprefix("+")
    if not _PLAIN_NUMBER.match(bare):
        return value
    if len(bare) > _LONGEST_DIGITS:
        return bare
    return float(bare) if "." in bare else int(bare)


def figure(text: str, span: Span) -> Figure | None:
    """Return the metric that a line states, None if it is no metric line.

    Args:
        text: The answer.
        span: The line, without bullet or numbering.
    """
    line = text[span.start : span.end]
    if len(line) > _LONGEST_LINE or not _DIGIT.search(line):
        return None
    for found in _SEPARATOR.finditer(line):
        value = value_of(line[found.end() :].strip(" *_"))
        name = line[: found.start()]
        if value is not None and _is_name(name):
            return Figure(key_of(name), value, span)
    return None


def _is_name(name: str) -> bool:
    words = plain(name).split()
    if _STATEMENT.search(name):
        return False
    return (
        0 < len(words) <= _MOST_NAME_WORDS
        and any(character.isalpha() for character in name)
        and bool(key_of(name))
    )
