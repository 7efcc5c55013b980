"""The JSON objects in a judge's reply, whatever stands around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_THINKING: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_LONGEST: Final = 200_000
_MOST_TRIES: Final = 500


class RepeatedNameError(ValueError):
    """An object gives one name two different values."""


def find_objects(text: str) -> list[dict[str, Any]]:
    r"""Return the outermost JSON objects of a text, in order.

    What a model thinks aloud before its reply (`<think>`) is not its reply.

    Raises:
        RepeatedNameError: An object gives one name two different values.

    Examples:
        >>> find_objects('Sure! ```json\n{"a": 1}\n``` Hope it helps {really}.')
        [{'a': 1}]
    """
    return list(_objects(_THINKING.sub("", text[:_LONGEST])))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_pairs)
    place = text.find("{")
    for _ in range(_MOST_TRIES):
        if place < 0:
            return
        try:
            found, end = decoder.raw_decode(text, place)
            yield found
        except RepeatedNameError:
            raise
        except (ValueError, RecursionError):
            end = place + 1
        place = text.find("{", end)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made and made[name] != value:
            raise RepeatedNameError(name)
        made[name] = value
    return made
