"""Decode records with explicit types, and say in a fixed code what is wrong with those that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec

from grade.ingest.batch import Records

T = TypeVar("T")

_RAW: Final = msgspec.json.Decoder(msgspec.Raw)


class Unfit(Exception):  # noqa: N818 - a finding about a record, told on as a refusal
    """A record that reads well and yet cannot be taken.

    Args:
        reason: A key of `REASONS`.
        detail: The reason in words.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


@dataclass(frozen=True, slots=True)
class Decoded(Generic[T]):
    """The records that decode, with their places; the batch's others are among its refusals.

    Attributes:
        values: The decoded records.
        records: The batch, cut down to them; `refused` holds everything that was refused.
    """

    values: list[T]
    records: Records


def decode_all(records: Records, decode: Callable[[Any], T]) -> Decoded[T]:
    """Decode a batch, record by record; a failure costs that record alone.

    One call per record is as fast as one for the whole batch, and always knows the place.
    """
    values: list[T] = []
    failed: dict[int, tuple[str, str]] = {}
    for number, item in enumerate(records.items):
        try:
            values.append(decode(item))
        except (msgspec.MsgspecError, Unfit, RecursionError, ValueError) as error:
            failed[number] = explain(error, item)
    return Decoded(values, records.without(failed))


def explain(error: Exception, item: object) -> tuple[str, str]:
    """Return the code and the words for a record that does not decode.

    Args:
        error: What the decoder raised.
        item: The record; text is looked at again to tell what is wrong with it.
    """
    if isinstance(error, Unfit):
        return error.reason, error.detail
    if isinstance(error, RecursionError):
        return "too_deep", "the record is nested deeper than can be read"
    if isinstance(error, UnicodeDecodeError):
        return "not_utf8", f"byte {error.start} of the record is not UTF-8"
    message = str(error)
    if isinstance(error, msgspec.ValidationError):
        broken = _syntax_error(item) if isinstance(item, bytes) else None
        if broken is None:
            return _invalid(message), message
        message = broken
    return _malformed(message, item) if isinstance(item, bytes) else ("wrong_type", message)


def _syntax_error(text: bytes) -> str | None:
    """Return what is wrong with a text as JSON, if it is; this goes before a wrong field."""
    try:
        _RAW.decode(text)
    except msgspec.DecodeError as error:
        return str(error)
    return None


def _invalid(message: str) -> str:
    if message.startswith("Object missing required field"):
        return "missing_field"
    if "out of range" in message:
        return "nonfinite_number"
    if message.startswith("Invalid enum value") or "` >= " in message or "` <= " in message:
        return "out_of_range"
    return "wrong_type"


def _malformed(message: str, text: bytes) -> tuple[str, str]:
    """Look for the reason why a text is no JSON; the standard library reads more than JSON."""
    constants: list[str] = []
    try:
        json.loads(text.decode(), parse_constant=constants.append)
    except RecursionError:
        return "too_deep", "the record is nested deeper than can be read"
    except ValueError:
        return ("truncated" if "truncated" in message else "bad_json"), message
    if constants:
        return "nonfinite_number", f"{constants[0]} is not JSON"
    return "lone_surrogate", "a text holds half of a surrogate pair"
