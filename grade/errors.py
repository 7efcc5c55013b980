"""Errors that a user can act on: one base class, one exit code per class.

A message says what is wrong, where, what was found, what was expected and what to do about it.
"""

from __future__ import annotations

from typing import ClassVar


class GradeError(Exception):
    """Something that stops a command, told in the user's terms.

    Args:
        what: The fault in one sentence.
        where: File and line, task and field, or whatever finds the place.
        got: What was found there.
        expected: What would have been right.
        hint: The next step.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self, what: str, *, where: str = "", got: str = "", expected: str = "", hint: str = ""
    ) -> None:
        self.what, self.where, self.got, self.expected, self.hint = what, where, got, expected, hint
        super().__init__(self.render())

    def render(self) -> str:
        """Return the message, one part a line, leaving out the parts that say nothing."""
        parts = (("where", self.where), ("got", self.got), ("expected", self.expected), ("hint", self.hint))
        return "\n".join([self.what, *(f"  {name}: {text}" for name, text in parts if text)])


class InputError(GradeError):
    """An input that stops everything: no such file, no valid task, bad rubric weights."""


class SettingsError(GradeError):
    """A settings file or option that does not say anything known."""


class OutputError(GradeError):
    """The result cannot be written where the user asked."""


class GateError(GradeError):
    """A gate or decision that the caller asked about is not met."""

    exit_code = 1


class RejectsError(GradeError):
    """The work is done, but more records were refused than the caller allows."""

    exit_code = 3


class ContractError(AssertionError):
    """A table between two of our own stages breaks its schema: a bug, never a user's fault."""
