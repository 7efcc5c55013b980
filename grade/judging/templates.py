"""Prompt templates: plain text with named gaps, filled for many questions at once.

A template file has two parts, each under its heading line, and gaps written `{{name}}`. What
fills a gap is never read for gaps again, so an answer cannot fill one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import polars as pl

from grade.errors import ContractError

GAPS: Final = ("task_text", "subject", "answer_text", "fence")
"""What a template may leave open: columns of the questions, and the fence around the answer."""

_PARTS: Final = re.compile(r"=== system ===\n(.+?)\n=== user ===\n(.+)", re.DOTALL)
_GAP: Final = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt template.

    Attributes:
        name: Its name and version, such as `claim.v1`.
        text: The whole file; part of the hash of every question that uses it.
        system: What the judge is told once.
        user: The question, with gaps.
    """

    name: str
    text: str
    system: str
    user: str


def parse_template(name: str, text: str) -> Template:
    """Cut a template file into its parts.

    Raises:
        ContractError: A part is missing, a gap has an unknown name, or the answer has no fence.
    """
    found = _PARTS.fullmatch(text)
    if found is None:
        raise ContractError(f"template {name} has no system and user part")
    system, user = (part.strip() for part in found.groups())
    gaps = set(_GAP.findall(user))
    unknown = (gaps | set(_GAP.findall(system))) - set(GAPS)
    if unknown or _GAP.search(system):
        raise ContractError(f"template {name} has gaps that nothing fills: {sorted(unknown) or 'in system'}")
    if gaps != set(GAPS):
        raise ContractError(f"template {name} lacks {sorted(set(GAPS) - gaps)}")
    return Template(name, text, system, user)


def fill(template: Template) -> pl.Expr:
    """Return the prompt of each row; the row has the columns `GAPS`."""
    pieces = _GAP.split(template.user)
    return pl.concat_str(pl.col(piece) if place % 2 else pl.lit(piece) for place, piece in enumerate(pieces))
