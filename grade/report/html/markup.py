"""HTML from elements: text becomes markup in one place only, where it is escaped.

A plain string is text and is escaped; only what `tag` returns is markup. So no caller can put
model-written text into a page unescaped by forgetting something.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Final, TypeAlias

from grade.report.markdown import plain

_EMPTY: Final = frozenset({"meta", "link", "br", "hr"})


class Html(str):
    """Markup that is safe to put into a page."""

    __slots__ = ()


Child: TypeAlias = "Html | str | int | Iterable[Child] | None"
Attribute: TypeAlias = str | float | bool | None


def text(content: str) -> Html:
    r"""Return text as markup: on one line, without control or direction-changing characters, escaped.

    Examples:
        >>> text("<b>&\n'x'")
        '&lt;b&gt;&amp; &#x27;x&#x27;'
    """
    before = " " if content[:1].isspace() else ""
    after = " " if content[-1:].isspace() and content.strip() else ""
    return Html(before + html.escape(plain(content)) + after)


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Return an element.

    Args:
        name: The element's name.
        children: Markup, text, numbers, or iterables of these; None is nothing.
        attributes: `_` in a name becomes `-`, a final one vanishes (`class_`); True gives a bare
            attribute, None and False none.

    Examples:
        >>> tag("p", "1 < 2", tag("br"), class_="note", hidden=True)
        '<p class="note" hidden>1 &lt; 2<br></p>'
    """
    opening = f"<{name}{''.join(_attribute(*pair) for pair in attributes.items())}>"
    return Html(opening if name in _EMPTY else f"{opening}{join(children)}</{name}>")


def join(children: Child) -> Html:
    """Return children side by side as markup."""
    if children is None:
        return Html()
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return text(children)
    if isinstance(children, int):
        return Html(f"{children:,}")
    return Html("".join(map(join, children)))


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    shown = name.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{html.escape(plain(str(value)))}"'
