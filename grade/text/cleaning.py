"""From text as written to clean sentences: expressions over string columns.

Cleaning keeps the letters' case, so that evidence can be shown as it was written; tokens are
made from the lower case.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_LOOK_ALIKES: Final[dict[str, str]] = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2212\uff0d", "-"),
    **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
    **dict.fromkeys("\u00a0\u2009\u202f", " "),
    **dict.fromkeys("\u200b\ufeff", ""),
}
_FOLDED: Final[dict[str, str]] = {
    chr(code): chr(code).casefold()
    for block in (
        *(range(0xB5, 0x588), range(0x13F8, 0x13FE), range(0x1C80, 0x1C89), range(0x1E96, 0x1FF8)),
        *(range(0xAB70, 0xABC0), range(0xFB00, 0xFB18)),
    )
    for code in block
    if chr(code).lower() == chr(code) != chr(code).casefold()
}
"""Small letters that case folding changes further; there are none outside these blocks."""
_LEAD: Final = r"^(?:\s*(?:[-*•·>#]+|[0-9]+[.)])\s+|\s*[#*]+\s*)+"
_OUTER_BARS: Final = r"^\s*\||\|\s*$"
_SENTENCE_END: Final = r"""([.!?]+["')\]*_]*)\s+"""
HAS_TOKEN: Final = r"[\p{L}\p{N}]"
"""Matches any text with a token in it."""


def clean(text: pl.Expr) -> pl.Expr:
    r"""Replace typographic look-alikes by the plain characters; the case stays.

    An en dash right before a digit is a minus sign, any other one a space.

    >>> pl.select(clean(pl.lit("“SCH\u2011001” – up \u20133.5"))).item()
    '"SCH-001"   up -3.5'
    """
    plain = text.str.replace_many(_LOOK_ALIKES)
    return plain.str.replace_all("\u2013([0-9])", "-${1}").str.replace_all("\u2013", " ", literal=True)


def lines(text: pl.Expr) -> pl.Expr:
    r"""Split at line ends, which are \n and \r only.

    >>> pl.select(lines(pl.lit("a\r\nb\u2028c"))).item().to_list()
    ['a', '', 'b\u2028c']
    """
    return text.str.replace_all("\r", "\n", literal=True).str.split("\n")


def without_lead(line: pl.Expr) -> pl.Expr:
    """Take bullets, numbering, heading marks and table bars off one clean line.

    >>> pl.select(without_lead(pl.lit("| 2. **Oct** | 27.9% |"))).item()
    'Oct** ;  27.9% '
    """
    inner = without_bullet(line.str.replace_all(_OUTER_BARS, ""))
    return inner.str.replace_all("|", "; ", literal=True)


def without_bullet(line: pl.Expr) -> pl.Expr:
    """Take bullets, numbering and heading marks off one clean line that has no table bars."""
    return line.str.replace(_LEAD, "")


def sentences(line: pl.Expr) -> pl.Expr:
    """Cut one clean line after sentence ends that white space follows.

    >>> pl.select(sentences(pl.lit("It rose to 82.5%. (Good.) So e.g. this"))).item().to_list()
    ['It rose to 82.5%.', '(Good.)', 'So e.g.', 'this']
    """
    return line.str.replace_all(_SENTENCE_END, "${1}\n").str.split("\n")


def folded(text: pl.Expr) -> pl.Expr:
    """Fold the case, so that texts which differ in nothing else are equal.

    >>> pl.select(folded(pl.Series(["STRASSE ΣΊΣΥΦΟΣ", "straße σίσυφος"]))).to_series().n_unique()
    1
    """
    return text.str.to_lowercase().str.replace_many(_FOLDED)
