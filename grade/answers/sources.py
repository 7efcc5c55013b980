"""Citations: the data files that an answer names, with their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from grade.answers.blocks import Span

_SUFFIXES: Final = "csv|tsv|parquet|jsonl|json|ndjson|xlsx|xls|txt|md|sql|duckdb|sqlite|db|pdf|docx"
_FILE: Final = re.compile(rf"(?<![\w./-])(?:[\w-]++[./])*?[\w-]++\.(?:{_SUFFIXES})(?![\w-])", re.IGNORECASE)
_NAME: Final = r"`[\w.]{1,80}`|[A-Za-z_]\w{0,79}"
_AFTER: Final = re.compile(
    rf"[`*]{{0,3}}(?:(?:::|:|#|→|->|>|/|\.)(?P<joined>`[\w.]{{1,80}}`|[a-z_]\w{{0,79}})(?!\w)"
    rf"|\s?(?::|→|->|>|–|—|-)\s(?P<loose>(?:{_NAME})(?:,\s?(?:{_NAME})){{0,20}})(?=\s*(?:[;.)\]|]|$))"
    rf"|\s?\[\s?['\"]?(?P<boxed>[A-Za-z_]\w{{0,79}})['\"]?\s?\]"
    rf"|[\s,;:(–—-]{{1,4}}(?:in |with |using |from )?(?:the )?(?P<word>columns?|cols?\.?|fields?|variables?)"
    rf"(?:\s?:\s?|\s)(?P<listed>(?:{_NAME})(?:(?:,\s?(?:and\s)?|\s(?:and|&)\s|/)(?:{_NAME})){{0,20}})"
    rf"|\s?\((?P<inside>`[\w.]{{1,80}}`|[a-z]\w{{0,79}}_\w{{1,79}}|[a-z_]\w{{0,79}}(?=\))|"
    rf"[a-z_]\w{{0,79}}(?:,\s[a-z_]\w{{0,79}}){{1,20}}(?=\)))"
    rf"|[\s,;:(–—-]{{1,4}}(?:the )?(?P<before_word>{_NAME})\s(?:column|field)\b)"
)
_BEFORE: Final = re.compile(
    rf"(?:(?:columns?|fields?)\s(?P<one>{_NAME})|(?P<two>{_NAME})\s(?:column|field)|(?P<three>`[\w.]{{1,80}}`))"
    rf"\s(?:in|of|from)\s(?:the\s)?[`\"*]{{0,3}}$",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[\w.]{1,80}")
_NO_COLUMNS: Final = frozenset(
    {"and", "the", "all", "rows", "row", "data", "file", "table", "of", "in", "for", "with", "from"}
)
_REACH: Final = 120


class Source(NamedTuple):
    """A file that a text names.

    Attributes:
        file: The file as written.
        columns: The columns named with it.
        span: Where the two stand.
    """

    file: str
    columns: tuple[str, ...]
    span: Span


def sources(text: str, span: Span) -> Iterator[Source]:
    """Find the data files named in a stretch of text, each with the columns beside it.

    Examples:
        >>> text = "See sessions.csv, columns status and month; the `rate` column in visits.csv"
        >>> [(found.file, found.columns) for found in sources(text, Span(0, len(text)))]
        [('sessions.csv', ('status', 'month')), ('visits.csv', ('rate',))]
    """
    files = list(_FILE.finditer(text, span.start, span.end))
    for place, found in enumerate(files):
        left = files[place - 1].end() if place else span.start
        right = files[place + 1].start() if place + 1 < len(files) else span.end
        columns, start, end = _columns(text, found, left, right)
        yield Source(found[0], columns, Span(start, end))


def _columns(text: str, file: re.Match[str], left: int, right: int) -> tuple[tuple[str, ...], int, int]:
    after = _AFTER.match(text, file.end(), min(right, file.end() + 20 * _REACH))
    if after is not None:
        listed = next(value for key, value in after.groupdict().items() if value and key != "word")
        names = _names(listed)
        if names:
            return names, file.start(), after.end()
    start = max(left, file.start() - _REACH)
    before = _BEFORE.search(text[start : file.start()])
    if before is not None:
        names = _names(before["one"] or before["two"] or before["three"])
        if names:
            return names, start + before.start(), file.end()
    return (), file.start(), file.end()


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip(".") for name in _WORDS.findall(listed) if name.lower() not in _NO_COLUMNS)
