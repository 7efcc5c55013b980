"""structured_metrics as compact JSON text that any reader reads alike."""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from grade.ingest.decoding import Unfit
from grade.ingest.limits import DEFAULT_LIMITS

BIG_INTEGER: Final = "big_integer_as_float"
"""Flag of a run whose metrics held an integer beyond 64 bits."""

NONFINITE_DROPPED: Final = "nonfinite_metric_dropped"
"""Flag of a run whose metrics, which came as typed columns, held NaN or an infinity."""

_ENCODER: Final = msgspec.json.Encoder()
_AS_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS: Final = b"0" * 19
_INT64: Final = range(-(2**63), 2**63)
_EMPTY: Final = b"{}"


def metrics_text(
    metrics: dict[str, Any] | None, *, max_depth: int, max_values: int = DEFAULT_LIMITS.max_metrics
) -> tuple[bytes, set[str]]:
    """Return metrics as JSON text, and the flags of what had to be mended.

    Keys keep their order. Integers beyond 64 bits become floats.

    Args:
        metrics: The decoded object; None is an empty one.
        max_depth: Deepest nesting allowed, the object itself counting as 1.
        max_values: Most keys and list items allowed.

    Raises:
        Unfit: The object is nested too deep or too large, or a number is beyond any float.

    Examples:
        >>> metrics_text({"a": [1, 2.50, None]}, max_depth=9)
        (b'{"a":[1,2.5,null]}', set())
        >>> metrics_text({"a": 10**30}, max_depth=9)
        (b'{"a":1e30}', {'big_integer_as_float'})
    """
    if not metrics:
        return _EMPTY, set()
    text = _ENCODER.encode(metrics)
    n_opened = text.count(b"{") + text.count(b"[")
    if n_opened > max_depth:
        _check_depth(metrics, max_depth)
    if n_opened + text.count(b",") > max_values:
        _check_size(metrics, max_values)
    if _MANY_DIGITS not in text.translate(_AS_ZERO):
        return text, set()
    flags: set[str] = set()
    return _ENCODER.encode(_with_floats(metrics, flags)), flags


def without_nonfinite(value: Any, flags: set[str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value without the NaN and infinities in it, which JSON cannot say."""
    if isinstance(value, dict):
        return {
            key: without_nonfinite(inner, flags) for key, inner in value.items() if _is_kept(inner, flags)
        }
    if isinstance(value, list):
        return [without_nonfinite(inner, flags) for inner in value if _is_kept(inner, flags)]
    return value


def _is_kept(value: object, flags: set[str]) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        flags.add(NONFINITE_DROPPED)
        return False
    return True


def _with_floats(value: Any, flags: set[str]) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _with_floats(inner, flags) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_floats(inner, flags) for inner in value]
    if isinstance(value, int) and value not in _INT64:
        flags.add(BIG_INTEGER)
        try:
            return float(value)
        except OverflowError:
            raise Unfit("nonfinite_number", "an integer of structured_metrics is beyond any float") from None
    return value


def _check_depth(value: object, max_depth: int) -> None:
    level: list[object] = [value]
    for _ in range(max_depth):
        level = [inner for outer in level for inner in _inner(outer) if isinstance(inner, (dict, list))]
        if not level:
            return
    raise Unfit("too_deep", f"structured_metrics is nested deeper than {max_depth} levels")


def _check_size(value: object, max_values: int) -> None:
    n_values, level = 0, [value]
    while level:
        level = [inner for outer in level for inner in _inner(outer)]
        n_values += len(level)
    if n_values > max_values:
        detail = f"structured_metrics has {n_values:,} values; the limit is {max_values:,}"
        raise Unfit("too_many_entries", detail)


def _inner(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
