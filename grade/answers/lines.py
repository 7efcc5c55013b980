"""The lines of a Markdown answer: what each is, and where its content stands.

Answers are read line by line rather than by a full Markdown parser: models write headings and lists
that are none in strict Markdown, and places must be exact to the character.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Kind = Literal["blank", "heading", "item", "row", "divider", "rule", "code", "text"]

LONGEST_HEADING: Final = 90
"""Characters; a longer line is a sentence, however it is set."""

_BOLD_LEVEL: Final = 7
_QUOTE: Final = re.compile(r"[ \t]{0,3}>[> \t]*+")
_FENCE: Final = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)[ \t]*+([\w+-]*+)[^`]*$")
_HASHES: Final = re.compile(r"[ \t]{0,3}(#{1,6})(?:[ \t]++|(?<=##)(?=[^\s#]))")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]*+)"
    r"(?:[-*+•·▪◦●○‣–—→➤➔▸▶►■□◆★✔✓✅❌⚠]\ufe0f?|[0-9]{1,3}[.)]|\([0-9]{1,3}\)|\(?[a-z]\)|[ivx]{1,4}[.)])"
    r"[ \t]++(?:\[[ xX]\][ \t]++)?(?=\S)"
)
_BOLD: Final = re.compile(r"[ \t]*+(\*{2,3}|__)(?=\S)(?P<name>[^*\n]+?)\1[ \t]*+:?[ \t]*+$")
_SETEXT: Final = re.compile(r"[ \t]{0,3}(?P<mark>=|-)(?P=mark)++[ \t]*+$")
_ENDS: Final = (".", "!", "?", ";")
_DIVIDER: Final = re.compile(r"[ \t|:-]++$")


class Line(NamedTuple):
    """A line of an answer.

    Attributes:
        kind: What it is.
        start: Where its content begins, without marks; a character offset.
        end: Where its content ends.
        level: Of a heading, from 1 (7 for a bold line); of any other line its indent.
        info: Of code: the language of its block.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    info: str = ""


def evened(text: str) -> str:
    r"""Return a text of the same length whose only line end is \n."""
    return text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", " ")


def scan(text: str) -> list[Line]:
    """Tell what each line of a text is.

    Args:
        text: With even line ends; see `evened`.
    """
    lines: list[Line] = []
    fence = ("", "")
    is_table = False
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw.rstrip())
        at = _unquoted(text, start, end)
        mark = _FENCE.match(text, at, end)
        if fence[0]:
            closes = mark is not None and mark[1].startswith(fence[0])
            lines.append(Line("code", start, end, info=fence[1]))
            fence = ("", "") if closes else fence
        elif mark is not None and _is_closed(text, end, mark[1]):
            fence = (mark[1], mark[2].lower())
            lines.append(Line("code", start, end, info=fence[1]))
        else:
            line = _line(text, at, end, lines, is_table=is_table)
            is_table = line.kind in {"row", "divider"}
            lines.append(line)
        start += len(raw) + 1
    return lines


def _is_closed(text: str, end: int, mark: str) -> bool:
    """Tell whether a block of code ends at all; without that its mark is just a line."""
    return text.find(f"\n{mark}", end) >= 0 or text.find(f" {mark}", end) >= 0


def _unquoted(text: str, start: int, end: int) -> int:
    quote = _QUOTE.match(text, start, end)
    return quote.end() if quote else start


def _line(text: str, at: int, end: int, before: list[Line], *, is_table: bool) -> Line:
    content = text[at:end]
    bare = content.strip()
    if not bare:
        return Line("blank", end, end)
    indent = len(content) - len(content.lstrip())
    if _SETEXT.match(content) and _heads(text, before):
        before[-1] = before[-1]._replace(kind="heading", level=1 if bare[0] == "=" else 2)
        return Line("rule", end, end)
    squeezed = bare.replace(" ", "")
    if len(squeezed) > 2 and squeezed[0] in "-*_" and not squeezed.strip(squeezed[0]):  # noqa: PLR2004
        return Line("rule", end, end)
    if "|" in bare and "-" in bare and _DIVIDER.match(bare):
        if before and before[-1].kind == "text" and "|" in text[before[-1].start : before[-1].end]:
            before[-1] = before[-1]._replace(kind="row")
        return Line("divider", end, end)
    if bare.count("|") > (0 if is_table else 1) and (bare[0] == "|" or is_table):
        return Line("row", at + indent, end, indent)
    return _marked(text, at, end, indent)


def _heads(text: str, before: list[Line]) -> bool:
    """Tell whether the line before stands alone, so that an underline makes it a heading."""
    if not before or before[-1].kind != "text" or before[-1].end - before[-1].start > LONGEST_HEADING:
        return False
    return (len(before) == 1 or before[-2].kind != "text") and not text.endswith(
        _ENDS, before[-1].start, before[-1].end
    )


def _marked(text: str, at: int, end: int, indent: int) -> Line:
    hashes = _HASHES.match(text, at, end)
    if hashes:
        closed = text[hashes.end() : end].rstrip("# \t")
        return Line("heading", hashes.end(), hashes.end() + len(closed), len(hashes[1]))
    bold = _BOLD.match(text, at, end)
    if bold and end - at <= LONGEST_HEADING and bold["name"][-1] not in ".!?":
        return Line("heading", at + indent, end, _BOLD_LEVEL)
    item = _ITEM.match(text, at, end)
    if item:
        return Line("item", item.end(), end, len(item["indent"].expandtabs(4)))
    return Line("text", at + indent, end, indent)
