"""What a decision rests on beside the scores: limits, confidence, and how several judges are combined.

A policy is data: a TOML file with the names below. The built-in ones are files of the same form.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, get_args

from grade.errors import SettingsError
from grade.hints import nearest

Judges = Literal["mean", "majority", "conservative", "optimistic", "unanimous"]
"""How the verdicts of several judges on one run and dimension become one."""

_HINT: Final = "docs/how-to/decide.md lists every key of a policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A decision policy; the default values are the default policy.

    Attributes:
        name: What the decision table calls it.
        description: What it is for, in a sentence.
        judges: How several judges of one run and dimension are combined.
        confidence_threshold: A confidence below this is low, strictly; None leaves it to the settings.
        max_critical: Most critical findings allowed; None is no limit. Also max_high, max_medium.
        min_int_score: Smallest overall integer score allowed, 1 to 5; None is no limit.
        required: Categories that must pass wherever they are scored.
    """

    name: str = "default"
    description: str = "Limits nothing: the seed's rules decide, and several judges count by their mean."
    judges: Judges = "mean"
    confidence_threshold: float | None = None
    max_critical: int | None = None
    max_high: int | None = None
    max_medium: int | None = None
    min_int_score: int | None = None
    required: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """The policy as plain values, as `read_policy` takes them; what is not set is left out."""
        kept = {name: value for name, value in asdict(self).items() if value is not None}
        return kept | {"required": list(self.required)}

    @property
    def digest(self) -> str:
        """SHA-256 of the policy's content."""
        text = json.dumps(self.content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


DEFAULT_POLICY: Final = Policy()
"""The policy when none is named."""


def parse_policy(text: str, *, where: str = "policy") -> Policy:
    """Read the text of a policy file.

    Args:
        text: TOML, one key per attribute of `Policy`.
        where: The file's name, for messages.

    Raises:
        SettingsError: The text is no TOML, a key is unknown or a value does not fit.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(
            "the policy file is not valid TOML",
            where=where,
            got=str(fault),
            expected='lines such as: name = "mine"',
        ) from fault
    return read_policy(values, where=where)


def read_policy(values: Mapping[str, Any], *, where: str = "policy") -> Policy:
    """Make a policy of plain values.

    Raises:
        SettingsError: A key is unknown or a value does not fit.
    """
    known = [spec.name for spec in fields(Policy)]
    for name, value in values.items():
        if name not in known:
            raise SettingsError(
                "unknown key in a policy",
                where=where,
                got=name,
                expected="one of " + ", ".join(known),
                hint=nearest(name, known) or _HINT,
            )
        expected, fits = _RULES[name]
        if not fits(value):
            raise SettingsError(
                f"the policy's {name} has a value that does not fit",
                where=where,
                got=repr(value),
                expected=expected,
                hint=_HINT,
            )
    return Policy(**{**values, "required": tuple(values.get("required", ()))})


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value)) and len(set(value)) == len(value)


_COUNT: Final = ("a whole number from 0", lambda value: _is_whole(value, 0, 2**31))
_RULES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "name": ("a text", _is_text),
    "description": ("a text", _is_text),
    "judges": ("one of " + ", ".join(get_args(Judges)), lambda value: value in get_args(Judges)),
    "confidence_threshold": ("a number from 0 to 1", _is_share),
    "max_critical": _COUNT,
    "max_high": _COUNT,
    "max_medium": _COUNT,
    "min_int_score": ("a whole number from 1 to 5", lambda value: _is_whole(value, 1, 5)),
    "required": ("a list of categories, each once", _are_names),
}
