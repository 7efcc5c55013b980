"""Fill the values of the ground truth into the texts of a task."""

from __future__ import annotations

import string
from collections.abc import Mapping

from grade.errors import InputError
from grade.hints import nearest
from pipelines.packs.sandbox import Scalar

_FORMATTER = string.Formatter()


def fill(text: str, values: Mapping[str, Scalar], *, where: str) -> str:
    """Return a text with each `{name}` or `{name:format}` replaced by the value of that name.

    Args:
        text: The template; the format is Python's, so `{october_rate:.1%}` gives "25.7%".
        values: The values, by name.
        where: Task and field, for the message of an error.

    Raises:
        InputError: The text asks for a value that nobody defined, or formats it as it cannot be.

    >>> fill("{rate:.1%} of {students} students", {"rate": 0.257, "students": 40}, where="example")
    '25.7% of 40 students'
    """
    unknown = [name for name in _names(text, where) if name not in values]
    if unknown:
        raise InputError(
            "a text asks for a value that ground_truth.toml does not define",
            where=where,
            got="{" + unknown[0] + "}",
            expected="a name of ground_truth.toml",
            hint=nearest(unknown[0], values) or "define it there, as name = SELECT ...",
        )
    try:
        return _FORMATTER.vformat(text, (), dict(values))
    except (ValueError, TypeError) as error:
        raise InputError("a value cannot be written so", where=where, got=text, hint=str(error)) from error


def _names(text: str, where: str) -> list[str]:
    try:
        return [name for _, name, _, _ in _FORMATTER.parse(text) if name is not None]
    except ValueError as error:
        raise InputError("a text is no template", where=where, got=text, hint=str(error)) from error
