"""Words without their marks: emphasis, code quotes, links and line ends."""

from __future__ import annotations

import re
from typing import Final

_LINK: Final = re.compile(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)")
_TAG: Final = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,9}(?: [^<>\n]{0,200})?/?>")
_QUOTED: Final = re.compile(r"\n[ \t]*+>[> \t]*+")
_STARS: Final = re.compile(r"\*\*++|(?<![\s\d*\\])\*(?!\*)|(?<![*\\])\*(?![\s\d*])")
_LOW_LINES: Final = re.compile(r"(?<![\w\\])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?!\w)")
_ESCAPED: Final = re.compile(r"\\([*_`#|$\[\]()~>+.!-])")
_MARKS: Final = re.compile(r"[*_`<\[\\]")


def plain(text: str) -> str:
    r"""Return a text as it reads, on one line.

    Examples:
        >>> plain("**IEP gap** in `sch_id` is\n  _14.0 pp_, see [note](a.md)")
        'IEP gap in sch_id is 14.0 pp, see note'
    """
    if _MARKS.search(text):
        text = _TAG.sub(" ", text)
        text = _LINK.sub(r"\1", text)
        text = text.replace("`", "")
        text = _LOW_LINES.sub("", _STARS.sub("", text))
        text = _ESCAPED.sub(r"\1", text)
    if "\n" in text and ">" in text:
        text = _QUOTED.sub("\n", text)
    return " ".join(text.split())
