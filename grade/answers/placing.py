"""Which section of an answer each block belongs to, from headings and labels of any style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from grade.answers.blocks import Block, Span
from grade.answers.plain import plain
from grade.answers.roles import Role, heading_name, is_bare_name, role_of

_LABEL_LEVEL: Final = 8
_LONGEST_LABEL: Final = 60
_LONGEST_LEAD_IN_WORDS: Final = 12
_RUN_IN: Final = re.compile(
    r"(?P<mark>\*{2,3}|__|\*|_)?(?P<label>[^\W\d][^:*_\n]{1,60}?)"
    r"(?:(?P<inner>:)?(?(mark)(?P=mark))(?(inner)|\s?(?::|[-–—](?=\s))))\s++(?=\S)"
)


_STATED: Final = re.compile(
    r"[*_]*(?P<label>(?:key )?(?:finding|insight|takeaway|observation|limitation|caveat) ?#?[0-9]{0,2})"
    r"[*_]*\s?[:.–—-][*_]*\s+(?=\S)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[*_]*[0-9]{1,2}[.):]\s++")
_STATEMENT_WORDS: Final = 4


class Placed(NamedTuple):
    """A block with what it is part of.

    Attributes:
        role: The section; None before any telling heading.
        block: The block.
        span: Its content, without a label before it.
        is_section: The section is one of its own, and no label of this piece alone.
    """

    role: Role | None
    block: Block
    span: Span
    is_section: bool = True


@dataclass(slots=True)
class _State:
    """Where the reading of an answer stands: open headings, and a label that holds for a while."""

    headings: list[tuple[int, Role | None]] = field(default_factory=list)
    label: Role | None = None

    @property
    def role(self) -> Role | None:
        return self.label or (self.headings[-1][1] if self.headings else None)

    def inherited(self, level: int) -> Role | None:
        """The section that a heading of some level stands in."""
        return next((role for above, role in reversed(self.headings) if above < level), None)

    def enter(self, level: int, role: Role | None) -> None:
        role = role or self.inherited(level)
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, role))
        self.label = None


def placed(text: str, found: list[Block]) -> Iterator[Placed]:
    """Give every block but headings and labels its section, in the order of the text."""
    state = _State()
    n_headings = sum(block.kind == "heading" for block in found)
    for number, block in enumerate(found):
        content = text[block.span.start : block.span.end]
        if block.kind == "heading":
            is_title = number == 0 and block.level == 1 and n_headings > 1
            yield from _entered(state, block, content, is_title=is_title)
            continue
        role = _as_heading(block, content)
        if role is not None:
            state.enter(_LABEL_LEVEL + block.level, role)
            continue
        if block.kind == "paragraph" and block.after_blank:
            state.label = None
        yield _after_label(state, block, content)


def _entered(state: _State, block: Block, content: str, *, is_title: bool) -> Iterator[Placed]:
    """Open a heading's section; a heading that states something itself is a paragraph as well."""
    numbered = _STATED.match(content)
    name = heading_name(numbered["label"] if numbered else content)
    role = role_of(name)
    if numbered or not is_bare_name(name):
        inherited = state.inherited(block.level)
        lead = numbered or _NUMBER.match(content)
        said = Span(block.span.start + (lead.end() if lead else 0), block.span.end)
        n_words = len(name.split()) + (lead is not None)
        is_statement = numbered or (n_words >= _STATEMENT_WORDS and not name.startswith("by "))
        if is_statement and (role if numbered else inherited) in {"findings", "limitations"}:
            state.enter(block.level, role if numbered else inherited)
            yield Placed(state.role, Block("paragraph", said, block.level), said)
            return
    state.enter(block.level, role if role == "findings" or not is_title else None)


def _as_heading(block: Block, content: str) -> Role | None:
    """Return the role of a block that is a heading in all but its marks."""
    if block.kind not in {"paragraph", "item"} or "\n" in content or len(content) > 2 * _LONGEST_LABEL:
        return None
    name, bare = heading_name(content), plain(content)
    role = role_of(name)
    if role is None:
        return None
    is_short = len(content) <= _LONGEST_LABEL and is_bare_name(name)
    if is_short and bare[-1:] not in ".!?" and (block.leads or block.kind == "paragraph" or bare[-1:] == ":"):
        return role
    is_lead_in = block.kind == "paragraph" and bare.endswith(":") and block.leads
    return role if is_lead_in and len(name.split()) <= _LONGEST_LEAD_IN_WORDS else None


def _after_label(state: _State, block: Block, content: str) -> Placed:
    """Take a label such as "Limitations:" off a block; it holds for what stands directly under it, too."""
    found = _RUN_IN.match(content) if block.kind in {"paragraph", "item"} else None
    name = heading_name(found["label"]) if found else ""
    if found is None or not is_bare_name(name):
        return Placed(state.role, block, block.span)
    role = role_of(name)
    if block.kind == "paragraph":
        state.label = role
    is_section = block.kind == "paragraph" and (found["mark"] is not None or name.endswith("s"))
    return Placed(role, block, Span(block.span.start + found.end(), block.span.end), is_section)
