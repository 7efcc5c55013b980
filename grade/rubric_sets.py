"""Rubric sets: the categories that a document is judged on, with weights and required ones."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from grade.dimensions import TITLES, WEIGHTS
from grade.errors import InputError
from grade.hints import nearest
from grade.policy import Policy

_SET_KEYS: Final = ("name", "categories", "required", "confidence_threshold")
_CATEGORY_KEYS: Final = ("id", "title", "weight")


@dataclass(frozen=True, slots=True)
class RubricCategory:
    """A category of a rubric set.

    Attributes:
        id: What results call it.
        title: What people call it.
        weight: Its share in the overall integer score, on any scale; 0 leaves it out.
    """

    id: str
    title: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RubricSet:
    """Categories in their order.

    Attributes:
        name: The set's name.
        categories: At least one.
        required: Ids of categories that must pass wherever they are scored.
        confidence_threshold: A confidence below this is low, strictly.
    """

    name: str
    categories: tuple[RubricCategory, ...]
    required: tuple[str, ...] = ()
    confidence_threshold: float = 0.7

    @property
    def policy(self) -> Policy:
        """What the set asks for, as a policy."""
        return Policy(name=self.name, required=self.required, confidence_threshold=self.confidence_threshold)


GRADE_SET: Final = RubricSet(
    "grade", tuple(RubricCategory(key, TITLES[key], float(weight)) for key, weight in WEIGHTS.items())
)
"""The six dimensions with their locked weights."""


def parse_rubric_set(text: str, *, where: str = "rubric set") -> RubricSet:
    """Read a rubric set from JSON (an object) or TOML text.

    Keys: `name`, `categories` (objects with `id`, and `title` and `weight` if wanted), `required`
    (ids), `confidence_threshold`.

    Raises:
        InputError: The text is neither, a key is unknown, or a value does not fit.
    """
    is_json = text.lstrip().startswith("{")
    try:
        values: Mapping[str, Any] = json.loads(text) if is_json else tomllib.loads(text)
    except ValueError as fault:
        form = "JSON" if is_json else "TOML"
        raise InputError(f"the rubric set is not valid {form}", where=where, got=str(fault)) from fault
    _require_known(values, _SET_KEYS, where)
    listed = values.get("categories")
    if not isinstance(listed, list) or not listed:
        raise _unfit("categories", listed, "a list of at least one category", where)
    categories = tuple(_category(each, where) for each in listed)
    ids = [category.id for category in categories]
    if len(set(ids)) < len(ids):
        raise _unfit("categories", ids, "ids that are all different", where)
    required = tuple(values.get("required", ()))
    if not set(required) <= set(ids):
        raise _unfit("required", list(required), "ids of categories: " + ", ".join(ids), where)
    threshold = values.get("confidence_threshold", 0.7)
    if not _is_number(threshold) or threshold > 1:
        raise _unfit("confidence_threshold", threshold, "a number from 0 to 1", where)
    return RubricSet(str(values.get("name", where)), categories, required, float(threshold))


def _category(values: object, where: str) -> RubricCategory:
    if not isinstance(values, Mapping):
        raise _unfit("categories", values, "objects with id, title and weight", where)
    _require_known(values, _CATEGORY_KEYS, where)
    name, weight = values.get("id"), values.get("weight", 1.0)
    if not isinstance(name, str) or not name.strip():
        raise _unfit("id", name, "a text", where)
    if not _is_number(weight):
        raise _unfit(f"weight of {name}", weight, "a finite number from 0", where)
    return RubricCategory(name, str(values.get("title", "")), float(weight))


def _is_number(value: object) -> bool:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return is_plain and math.isfinite(value) and value >= 0  # type: ignore[operator, arg-type]


def _require_known(values: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in values:
        if name not in known:
            raise InputError(
                "unknown key in a rubric set",
                where=where,
                got=name,
                expected="one of " + ", ".join(known),
                hint=nearest(name, known),
            )


def _unfit(name: str, value: object, expected: str, where: str) -> InputError:
    return InputError(
        f"the rubric set's {name} does not fit", where=where, got=repr(value), expected=expected
    )
