"""A judge's reply as a verdict, or the reason why it is none; never a guess in between."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from grade.judging.json_reply import RepeatedNameError, find_objects

CLAIM_FIELDS: Final = ("stated", "confidence", "quotes", "reasoning")
"""What a reply to a claim question holds."""

DIMENSION_FIELDS: Final = ("score", "int_score", "confidence", "quotes", "reasoning")
"""What a reply to a dimension question holds."""

_STATED: Final = {"yes": "pass", "no": "fail"}
_OF_INTEGER: Final = {5: "pass", 4: "pass", 3: "partial", 2: "fail", 1: "fail"}
_CATEGORIES: Final = frozenset(_OF_INTEGER.values())


class Reading(NamedTuple):
    """What a reply says.

    Attributes:
        problem: Why it cannot be read, as a fixed code; None when it can.
        detail: The problem in words.
        score: pass, partial or fail; for a claim pass (stated) or fail (not stated).
        int_score: 1 to 5; None for a claim.
        confidence: 0 to 1.
        reasoning: The judge's reasons.
        quotes: What the judge quotes; blank ones left out.
    """

    problem: str | None
    detail: str = ""
    score: str | None = None
    int_score: int | None = None
    confidence: float | None = None
    reasoning: str | None = None
    quotes: tuple[str, ...] = ()


class _UnreadableError(Exception):
    def __init__(self, problem: str, detail: str) -> None:
        super().__init__(detail)
        self.problem, self.detail = problem, detail


def read_reply(text: str | None, *, is_claim: bool, is_cut: bool = False) -> Reading:
    """Read a reply; prose and code fences around one JSON object do no harm.

    Args:
        text: The reply.
        is_claim: The question was about a claim, not a dimension.
        is_cut: The endpoint says that the reply was cut off.

    Returns:
        A reading whose `problem` is None, or one of: empty_reply, cut_off, no_json,
        several_answers, missing_field, bad_value, contradictory.
    """
    try:
        answer = _only_answer(text or "", CLAIM_FIELDS if is_claim else DIMENSION_FIELDS, is_cut=is_cut)
        return _claim(answer) if is_claim else _dimension(answer)
    except _UnreadableError as fault:
        return Reading(fault.problem, fault.detail)


def reply_schema(*, is_claim: bool) -> dict[str, Any]:
    """Return the JSON Schema that a judge is asked to keep to."""
    unit = {"type": "number", "minimum": 0, "maximum": 1}
    told: dict[str, Any] = {"quotes": {"type": "array", "items": {"type": "string"}}}
    told |= {"reasoning": {"type": "string"}, "confidence": unit}
    told |= {
        "stated": {"type": "string", "enum": list(_STATED)},
        "score": {"type": "string", "enum": ["pass", "partial", "fail"]},
        "int_score": {"type": "integer", "enum": sorted(_OF_INTEGER)},
    }
    names = CLAIM_FIELDS if is_claim else DIMENSION_FIELDS
    return {
        "type": "object",
        "properties": {name: told[name] for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


def _only_answer(text: str, fields: tuple[str, ...], *, is_cut: bool) -> dict[str, Any]:
    if not text.strip():
        raise _UnreadableError("empty_reply", "the reply is empty")
    try:
        objects = find_objects(text)
    except RepeatedNameError as fault:
        raise _UnreadableError(
            "several_answers", f"the reply gives {fault} twice, with different values"
        ) from None
    answers = [found for found in objects if fields[0] in found or len(objects) == 1]
    if not answers:
        code = "cut_off" if is_cut else "no_json"
        raise _UnreadableError(
            code, "the reply ends too early" if is_cut else "the reply holds no JSON object"
        )
    if any(other != answers[0] for other in answers):
        raise _UnreadableError("several_answers", "the reply holds several different answers")
    missing = [name for name in fields if answers[0].get(name) is None]
    if missing:
        raise _UnreadableError("missing_field", f"the reply lacks {', '.join(missing)}")
    return answers[0]


def _claim(answer: dict[str, Any]) -> Reading:
    stated = answer["stated"]
    word = ("no", "yes")[stated] if isinstance(stated, bool) else str(stated).strip().casefold()
    if word not in _STATED:
        raise _UnreadableError("bad_value", f'stated is {stated!r}, not "yes" or "no"')
    return Reading(None, "", _STATED[word], None, *_shared(answer))


def _dimension(answer: dict[str, Any]) -> Reading:
    score, number = str(answer["score"]).strip().casefold(), _integer(answer["int_score"])
    if score not in _CATEGORIES:
        raise _UnreadableError("bad_value", f"score is {answer['score']!r}, not pass, partial or fail")
    if number is None:
        raise _UnreadableError(
            "bad_value", f"int_score is {answer['int_score']!r}, not an integer from 1 to 5"
        )
    if _OF_INTEGER[number] != score:
        raise _UnreadableError(
            "contradictory", f"int_score {number} means {_OF_INTEGER[number]}, not {score}"
        )
    return Reading(None, "", score, number, *_shared(answer))


def _integer(value: object) -> int | None:
    """An integer from 1 to 5, also when written as 4.0; nothing else is rounded or clamped."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in _OF_INTEGER:
        return None
    return int(value)


def _shared(answer: dict[str, Any]) -> tuple[float, str, tuple[str, ...]]:
    confidence, reasoning, quotes = answer["confidence"], answer["reasoning"], answer["quotes"]
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not is_number or not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise _UnreadableError("bad_value", f"confidence is {confidence!r}, not a number from 0 to 1")
    if not isinstance(reasoning, str):
        raise _UnreadableError("bad_value", "reasoning is no text")
    if not isinstance(quotes, list) or not all(isinstance(quote, str) for quote in quotes):
        raise _UnreadableError("bad_value", "quotes is no list of texts")
    return float(confidence), reasoning.strip(), tuple(quote for quote in quotes if quote.strip())
