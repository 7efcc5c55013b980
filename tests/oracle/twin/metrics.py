"""Structured metrics, flattened to leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import regex

from .entities import entities_in
from .text import SPACE, clean, strip, words_of

_QUANTITY = regex.compile(
    rf"(?P<sign>[-+]?)\p{{Sc}}?(?P<inner>-?)"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<exponent>e[-+]?[0-9]+)?"
    rf"(?:{SPACE}*(?P<scale>thousand|million|billion))?"
    rf"(?:{SPACE}*-?(?P<unit>%|x|pp|points?|percent|per{SPACE}+cent|percentage(?:[- ]points?)?))?"
)
_SCALES = {None: 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_PERCENT_UNITS = {
    "%", "pp", "point", "points", "percent", "per cent", "percentage point", "percentage points",
}  # fmt: skip
_SNAKE_ID = regex.compile(r"(?<=\p{L})_(?=[0-9]{3,}(?![\p{L}\p{N}]))")


@dataclass(frozen=True)
class Leaf:
    """One leaf: its key path, and either a finite number or a text."""

    key: str
    number: float | None
    text: str | None
    percent: bool = False


@dataclass
class Metrics:
    """The leaves of one run in document order, and whether a non-finite number was dropped."""

    leaves: list[Leaf]
    nonfinite: bool = False


def flatten(structured: Any) -> Metrics:
    """Flatten a structured_metrics object."""
    metrics = Metrics([])
    _visit(structured or {}, "", metrics, set())
    return metrics


def _visit(value: Any, path: str, metrics: Metrics, used: set[str]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _visit(item, _fresh(path, key, used), metrics, used)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            name = _item_name(item) or str(position)
            _visit(item, _fresh(path, name, used), metrics, used)
    elif isinstance(value, str):
        _add_text(value, path, metrics)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _add_number(_as_float(value), path, metrics, percent=False)


def _fresh(path: str, segment: str, used: set[str]) -> str:
    """The path of a segment; one that came before gets a number."""
    wanted = f"{path}.{segment}" if path else segment
    fresh = wanted
    again = 1
    while fresh in used:
        again += 1
        fresh = f"{wanted}#{again}"
    used.add(fresh)
    return fresh


def _item_name(item: Any) -> str | None:
    """The entities that name a list item, joined with "+"."""
    if not isinstance(item, dict):
        return None
    names: list[str] = []
    for value in item.values():
        if not isinstance(value, str):
            continue
        words = words_of(value)
        found = {entity.name for entity in entities_in(words)}
        if len(words) <= 3 and len(found) == 1 and not found <= set(names):
            names.extend(found)
    return "+".join(names) or None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _add_number(number: float, path: str, metrics: Metrics, *, percent: bool) -> None:
    if math.isfinite(number):
        metrics.leaves.append(Leaf(path, number, None, percent))
    else:
        metrics.nonfinite = True


def _add_text(value: str, path: str, metrics: Metrics) -> None:
    match = _QUANTITY.fullmatch(strip(clean(value).lower()))
    if match is None or (match["sign"] and match["inner"]):
        metrics.leaves.append(Leaf(path, None, value))
        return
    number = float(match["digits"].replace(",", "") + (match["exponent"] or "")) * _SCALES[match["scale"]]
    if "-" in (match["sign"], match["inner"]):
        number = -number
    percent = regex.sub(rf"{SPACE}+|-", " ", match["unit"] or "") in _PERCENT_UNITS
    _add_number(number, path, metrics, percent=percent)


def segments(key: str) -> list[str]:
    """The parts of a key between dots."""
    return key.split(".")


def key_words(key: str) -> tuple[str, ...]:
    """The words of a key: ``sch_002`` reads as ``sch-002``, other underscores and dots as spaces."""
    cleaned = _SNAKE_ID.sub("-", clean(key).lower())
    return words_of(cleaned.replace("_", " ").replace(".", " "))
