"""Who is related to whom: a judge does not score models of its own family.

Families come from a small table that users may edit; models are told apart by their real names,
not by who serves them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from grade.errors import GradeError, InputError

_FIRST_WORD: Final = re.compile(r"[^\W\d_]+|\w+")


class SameFamilyError(GradeError):
    """A judge would score answers of its own family."""


@dataclass(frozen=True, slots=True)
class Families:
    """The table of families.

    Attributes:
        marks: For each family the words that tell its models, such as `gpt` or `llama`.
        real_names: The real name behind a model id that does not tell it.
    """

    marks: Mapping[str, tuple[str, ...]]
    real_names: Mapping[str, str] = field(default_factory=dict)

    def real_name(self, model: str) -> str:
        """Return the model's own name: the one in the table, else what follows the last slash.

        Examples:
            >>> Families({}, {"judge": "acme-7b"}).real_name("local/judge")
            'acme-7b'
        """
        name = model.casefold().rsplit("/", maxsplit=1)[-1].strip()
        real = self.real_names.get(model.casefold(), self.real_names.get(name, name))
        return real.casefold().rsplit("/", maxsplit=1)[-1]

    def of(self, model: str) -> frozenset[str]:
        """Return the families of a model; one that the table does not know is told by its first word.

        A model made out of two families, as a distilled one is, belongs to both.

        Examples:
            >>> known = Families({"gpt": ("gpt",), "llama": ("llama",)})
            >>> sorted(known.of("azure/gpt-4o")), sorted(known.of("acme/brisk-1"))
            (['gpt'], ['brisk'])
        """
        name = self.real_name(model)
        found = {family for family, marks in self.marks.items() if any(_has(mark, name) for mark in marks)}
        first = _FIRST_WORD.search(name)
        return frozenset(found or {first.group() if first else name})

    def are_related(self, one: str, other: str) -> bool:
        """Tell whether two models share a family."""
        return not self.of(one).isdisjoint(self.of(other))


def parse_families(text: str, *, where: str = "families") -> Families:
    """Read the table of families: TOML with `[families]` and, where needed, `[real_names]`.

    Raises:
        InputError: The text is no such table.
    """
    try:
        content = tomllib.loads(text)
        families, names = content.pop("families"), content.pop("real_names", {})
        _require_no_more(content)
        marks = {name: tuple(_word(mark) for mark in words) for name, words in families.items()}
        return Families(marks, {_word(name): _word(real) for name, real in names.items()})
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, ValueError) as fault:
        raise InputError(
            "the table of model families cannot be read",
            where=where,
            got=f"{type(fault).__name__}: {fault}",
            expected='[families] with lines such as gpt = ["gpt", "o3"], and optionally [real_names]',
        ) from fault


def _require_no_more(content: Mapping[str, object]) -> None:
    if content:
        raise ValueError(f"unknown section {next(iter(content))}")


def _word(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{value!r} is no name")
    return value.casefold().strip()


def _has(mark: str, name: str) -> bool:
    """A mark stands as a word of the name; digits may follow it unless it ends in one itself."""
    after = r"(?![^\W_])" if mark[-1].isdigit() else r"(?![^\W\d_])"
    return re.search(rf"(?<![^\W_]){re.escape(mark)}{after}", name) is not None
