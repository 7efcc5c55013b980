"""Entities named by a text: identifiers such as ``sch-001``, and months."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from .text import MONTHS

SEASONS = {"spring", "summer", "fall", "autumn", "winter"}
MONTH_KIND = "month"

_IDENTIFIER = regex.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9]{3,}")
_MONTH_YEAR = regex.compile(r"([a-z]+)-[0-9]{4}")
_ISO_MONTH = regex.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
_BY_NUMBER = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NO_IDENTIFIER = {*MONTHS, "may", *SEASONS, "year", "fy"}


@dataclass(frozen=True)
class Entity:
    """An entity: its kind, its name and the index of its token."""

    kind: str
    name: str
    index: int


def entity_of(word: str, index: int = 0) -> Entity | None:
    """The entity that one token names, or None."""
    month = _month(word)
    if month is not None:
        return Entity(MONTH_KIND, month, index)
    if _IDENTIFIER.fullmatch(word):
        leading = word.partition("-")[0]
        if leading not in _NO_IDENTIFIER:
            return Entity("id:" + leading, word, index)
    return None


def _month(word: str) -> str | None:
    """The three-letter month that a token names, or None."""
    if word in MONTHS:
        return MONTHS[word]
    spelled = _MONTH_YEAR.fullmatch(word)
    if spelled:
        return MONTHS.get(spelled.group(1))
    iso = _ISO_MONTH.fullmatch(word)
    if iso:
        return _BY_NUMBER[int(iso.group(1)) - 1]
    return None


def entities_in(words: Sequence[str]) -> list[Entity]:
    """All entities of a token sequence, in order of appearance."""
    found = []
    for index, word in enumerate(words):
        entity = entity_of(word, index)
        if entity is not None:
            found.append(entity)
    return found


def by_kind(entities: Iterable[Entity]) -> dict[str, list[str]]:
    """The distinct names of each kind, in order of first appearance."""
    names: dict[str, list[str]] = {}
    for entity in entities:
        known = names.setdefault(entity.kind, [])
        if entity.name not in known:
            known.append(entity.name)
    return names


def identifiers_in(words: Sequence[str]) -> set[str]:
    """The identifiers (not the months) of a token sequence."""
    return {entity.name for entity in entities_in(words) if entity.kind != MONTH_KIND}
