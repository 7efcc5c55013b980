"""Names by content: what a judge is, and which verdict answers which question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from grade.errors import GradeError

DEFAULT_PARAMETERS: Final[dict[str, Any]] = {"temperature": 0, "max_tokens": 1000}
"""How a judge is asked when nothing else is said."""

_DIGITS: Final = 32
_HUMAN: Final = "human:"


class JudgeNameError(GradeError):
    """The judge has a name that no model may have."""


def write_parameters(parameters: Mapping[str, Any]) -> str:
    """Return sampling parameters as JSON text, the same for the same content."""
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Judge:
    """A model that judges, asked in one way.

    Attributes:
        model: The model's name, as the endpoint knows it.
        parameters: Its parameters, from `write_parameters`.

    Raises:
        JudgeNameError: The name is blank, or that of a person.

    Examples:
        >>> Judge("judge-1", write_parameters(DEFAULT_PARAMETERS)).id(0)
        'judge-1'
        >>> Judge("judge-1", '{"temperature":1}').id(2)
        'judge-1@67725b17#2'
    """

    model: str
    parameters: str

    def __post_init__(self) -> None:
        if not self.model.strip() or self.model.startswith(_HUMAN):
            raise JudgeNameError(
                "a model cannot judge under this name",
                got=repr(self.model),
                expected=f"a model's name, not blank and not beginning with {_HUMAN}",
            )

    @property
    def key(self) -> str:
        """Hash of the model and its parameters."""
        return _digest(self.model, self.parameters)

    def id(self, repeat: int) -> str:
        """Return what the judge is called in verdicts.

        It is the model's name; other parameters than the default ones add `@` and their hash,
        and repeats after the first add `#` and their number, so that no name judges twice.
        """
        is_default = self.parameters == write_parameters(DEFAULT_PARAMETERS)
        told = "" if is_default else f"@{_digest(self.parameters)[:8]}"
        return f"{self.model}{told}" + (f"#{repeat}" if repeat else "")

    def verdict_key(self, question_key: str, repeat: int) -> str:
        """Return the hash of one asking: the question, the judge and the repeat."""
        return _digest(question_key, self.key, str(repeat))


def _digest(*parts: str) -> str:
    hashes = (hashlib.sha256(part.encode()).hexdigest() for part in parts)
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:_DIGITS]
