"""The method's settings: one frozen record, read from TOML and from options, with its hash."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Final

from grade.errors import SettingsError
from grade.hints import nearest
from grade.ingest.limits import Limits

_LIMITS: Final = Limits()


def _setting(default: float, note: str, low: float, high: float, *, is_method: bool = True) -> Any:  # noqa: ANN401
    metadata = {"note": note, "low": low, "high": high, "is_method": is_method}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a user may set; every name is also a key of the settings file.

    Attributes:
        confidence_threshold: A confidence below this is low, strictly; 0 to 1.
        max_rejects: Refused records that still let a command end well.
        batch_runs: Runs scored at a time; no result depends on it.
        max_record_bytes: Longest record that is read, in bytes.
        max_depth: Deepest nesting of structured_metrics that is read.
        max_entries: Most entries in a list of one record.
        max_metrics: Most values in the structured_metrics of one record.
        max_expanded_bytes: Most bytes that one compressed file may unpack to.
        max_refused: Refused records after which the rest of a file is left unread.
    """

    confidence_threshold: float = _setting(0.7, "A confidence below this is low, strictly.", 0.0, 1.0)
    max_rejects: int = _setting(
        0, "Refused records that still let a command end well.", 0, 2**62, is_method=False
    )
    batch_runs: int = _setting(
        10_000, "Runs scored at a time; no result depends on it.", 1, 10_000_000, is_method=False
    )
    max_record_bytes: int = _setting(
        _LIMITS.max_record_bytes, "Longest record that is read, in bytes.", 1_000, 2**31 - 1
    )
    max_depth: int = _setting(
        _LIMITS.max_depth, "Deepest nesting of structured_metrics that is read.", 4, 500
    )
    max_entries: int = _setting(_LIMITS.max_entries, "Most entries in a list of one record.", 1, 10_000_000)
    max_metrics: int = _setting(
        _LIMITS.max_metrics, "Most values in the structured_metrics of one record.", 1, 10_000_000
    )
    max_expanded_bytes: int = _setting(
        _LIMITS.max_expanded_bytes, "Most bytes that one compressed file may unpack to.", 1_000, 2**62
    )
    max_refused: int = _setting(
        _LIMITS.max_refused, "Refused records after which the rest of a file is left unread.", 1, 10_000_000
    )

    @property
    def limits(self) -> Limits:
        """What one record and one file may hold at most."""
        return Limits(**{spec.name: getattr(self, spec.name) for spec in fields(Limits)})

    @property
    def method(self) -> dict[str, float]:
        """The settings that a result depends on, by name."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.metadata["is_method"]}

    @property
    def digest(self) -> str:
        """SHA-256 of the settings that a result depends on."""
        text = json.dumps(self.method, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


DEFAULTS: Final = Settings()
"""The settings when nothing is said."""


def parse_settings(text: str, *, where: str = "settings") -> Settings:
    """Read the text of a settings file: TOML, one key per setting.

    Args:
        text: The file's content.
        where: The file's name, for messages.

    Raises:
        SettingsError: The text is no TOML, a key is unknown or a value does not fit.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(
            "the settings file is not valid TOML",
            where=where,
            got=str(fault),
            expected="lines such as: confidence_threshold = 0.7",
        ) from fault
    return override(DEFAULTS, values, where=where)


def override(settings: Settings, values: Mapping[str, object], *, where: str = "options") -> Settings:
    """Return the settings with some values replaced; None leaves a setting as it is.

    Raises:
        SettingsError: A key is unknown or a value does not fit; the message names the nearest key.
    """
    known = {spec.name: spec for spec in fields(Settings)}
    for name in values:
        if name not in known:
            raise SettingsError(
                "unknown setting",
                where=where,
                got=name,
                expected="one of " + ", ".join(known),
                hint=nearest(name, known),
            )
    fitting = {name: _fit(known[name], value, where) for name, value in values.items() if value is not None}
    return replace(settings, **fitting)


def _fit(spec: Field[Any], value: object, where: str) -> Any:  # noqa: ANN401
    low, high = spec.metadata["low"], spec.metadata["high"]
    is_whole = isinstance(spec.default, int)
    number = value if isinstance(value, int if is_whole else int | float) else None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise SettingsError(
            f"the setting {spec.name} has a value that does not fit",
            where=where,
            got=repr(value),
            expected=f"a {'whole ' if is_whole else ''}number from {low} to {high}",
            hint=spec.metadata["note"],
        )
    return number if is_whole else float(number)
