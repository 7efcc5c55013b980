"""The blocks of an answer: headings, list items, paragraphs, table rows and code, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from grade.answers.lines import Line, scan

_THINKING: Final = re.compile(r"\s*+<(think|thinking|reasoning)>", re.IGNORECASE)
_LABELLED: Final = re.compile(r"\*\*[^*\n]{1,60}(?::\*\*|\*\*:)")
_WRAPPERS: Final = frozenset({"markdown", "md", "text", "txt", ""})
_SUBSTANTIAL: Final = 2


class Span(NamedTuple):
    """A stretch of the answer's text, in characters; the end is not part of it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of an answer that is read as one.

    Attributes:
        kind: What it is.
        span: Where its content stands, without the marks before it.
        level: Of a heading its level, of an item its indent.
        after_blank: A blank line stands before it.
        leads: A list or table follows it at once.
        header: Of a table row: where the table's first row stands.
        info: Of code: its language.
    """

    kind: Literal["heading", "item", "paragraph", "row", "code"]
    span: Span
    level: int = 0
    after_blank: bool = False
    leads: bool = False
    header: Span | None = None
    info: str = ""


def blocks(text: str) -> list[Block]:
    """Cut a text with even line ends into blocks, leaving out what a model thought beforehand."""
    found = list(_merged(text, _lines(text, _after_thinking(text))))
    return [
        _with_leads(block, following) for block, following in zip(found, [*found[1:], None], strict=False)
    ]


def _after_thinking(text: str) -> int:
    opened = _THINKING.match(text)
    if opened is None:
        return 0
    closed = re.compile(f"</{opened[1]}>", re.IGNORECASE).search(text, opened.end())
    return closed.end() if closed else 0


def _lines(text: str, begin: int) -> list[Line]:
    """The lines from a place on; an answer that is one block of code as a whole is read without it."""
    padded = " " * begin + text[begin:]
    lines = scan(padded)
    filled = [line for line in lines if line.kind != "blank"]
    is_wrapped = len(filled) > _SUBSTANTIAL and all(line.kind == "code" for line in filled)
    if not is_wrapped or filled[0].info not in _WRAPPERS:
        return lines
    first, last = filled[0], filled[-1]
    bare = " " * first.end + padded[first.end : last.start] + " " * (len(padded) - last.start)
    return scan(bare)


def _merged(text: str, lines: list[Line]) -> Iterator[Block]:
    """Put lines together: an item with what goes on under it, the lines of a paragraph, a table's rows."""
    held: Block | None = None
    header: Span | None = None
    is_blank = True
    for line in lines:
        is_more = line.kind == "text" and not _LABELLED.match(text, line.start, line.end)
        goes_on = held is not None and is_more and _goes_on(held, line, is_blank=is_blank)
        if goes_on and held is not None:
            held = _longer(held, line.end)
            is_blank = False
            continue
        code_goes_on = held is not None and held.kind == line.kind == "code"
        if code_goes_on and held is not None:
            held = _longer(held, line.end)
            continue
        if held is not None and (line.kind != "blank" or held.kind != "item"):
            yield held
            held = None
        if line.kind in {"blank", "rule"}:
            is_blank, header = True, None if line.kind == "blank" else header
            continue
        if line.kind == "divider":
            continue
        span = Span(line.start, line.end)
        kind = "paragraph" if line.kind == "text" else line.kind
        held = Block(kind, span, line.level, is_blank, header=header, info=line.info)  # type: ignore[arg-type]
        header = (header or span) if line.kind == "row" else None
        is_blank = False
    if held is not None:
        yield held


def _goes_on(held: Block, line: Line, *, is_blank: bool) -> bool:
    if held.kind == "paragraph":
        return True
    return held.kind == "item" and (not is_blank or line.level > held.level + 1)


def _longer(block: Block, end: int) -> Block:
    return Block(block.kind, Span(block.span.start, end), block.level, block.after_blank, info=block.info)


def _with_leads(block: Block, following: Block | None) -> Block:
    leads = following is not None and (
        following.kind == "row" or (following.kind == "item" and _is_under(block, following))
    )
    if not leads:
        return block
    return Block(
        block.kind,
        block.span,
        block.level,
        block.after_blank,
        leads=True,
        header=block.header,
        info=block.info,
    )


def _is_under(block: Block, item: Block) -> bool:
    return block.kind != "item" or item.level > block.level
