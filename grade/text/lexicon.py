"""The word lists of the method, each with the rule that uses it."""

from __future__ import annotations

from typing import Final

NEGATION_CUES: Final = frozenset(
    {"not", "no", "never", "none", "nor", "neither", "without", "cannot", "can't"}
)
"""Words that deny what follows; any token that ends in n't is one too."""

DOUBT_WORDS: Final = frozenset(
    {
        "whether",
        "wrong",
        "incorrect",
        "insufficient",
        "unsupported",
        "unproven",
        "unknown",
        "unclear",
        "false",
    }
)
"""Words that take back a forbidden claim as a negation would."""

DIRECTION_WORDS: Final = frozenset(
    {
        "higher", "lower", "more", "fewer", "less", "greater", "rose", "fell", "rise", "fall", "increased",
        "decreased", "increase", "decrease", "improved", "improve", "declined", "decline", "same", "equal",
        "exceeded", "exceeds", "below", "above",
    }
)  # fmt: skip
"""Words that say which way something goes."""

CLAUSE_WORDS: Final = frozenset({"and", "while", "whereas", "versus"})
"""Words before which a clause ends."""

MULTIPLIERS: Final[dict[str, float]] = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
"""Words that scale the number before them."""

RATE_WORDS: Final = frozenset(
    f"{word}{plural}"
    for word in ("rate", "share", "ratio", "proportion", "percent", "percentage")
    for plural in ("", "s")
)
"""Words that make a fact or a metric a rate."""

RATE_KEY_WORDS: Final = RATE_WORDS | {"pct", "gap"}
"""What marks a metric's key as a rate; in a key also the short forms."""

BOUND_WORDS: Final = frozenset({"over", "above", "below", "under", "exceed", "exceeds", "exceeding"})
"""One-word bound phrases: the number after one is a limit, not a value."""

BOUND_PAIRS: Final = frozenset(
    {("more", "than"), ("less", "than"), ("fewer", "than"), ("at", "least"), ("at", "most"), ("up", "to")}
)
"""Two-word bound phrases."""

_MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

MONTH_CODES: Final = tuple(name[:3] for name in _MONTH_NAMES)
"""Three-letter code of each month, in order."""

MONTHS: Final[dict[str, str]] = {
    **{name: name[:3] for name in _MONTH_NAMES},
    **{code: code for code in MONTH_CODES},
    "sept": "sep",
}
"""Every spelling of a month, with its code; `may` is among them but names no month by itself."""

SEASONS: Final = frozenset({"spring", "summer", "fall", "autumn", "winter"})

YEAR_LEADS: Final = frozenset({*MONTHS, *SEASONS, "year", "fy", "in", "since", "until"})
"""A number from 1900 to 2099 after one of these is a year."""

NOT_IDENTIFIER_LEADS: Final = frozenset({*MONTHS, *SEASONS, "year", "fy"})
"""Leading words that keep a token such as `fall-2025` from being an identifier."""

_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

UNIT_WORDS: Final[dict[str, float]] = {word: float(n) for n, word in enumerate(_UNITS, 1)}
"""one to nine."""

TENS_WORDS: Final[dict[str, float]] = {word: 10.0 * n for n, word in enumerate(_TENS, 2)}
"""twenty to ninety, by tens."""

NUMBER_WORDS: Final[dict[str, float]] = {
    **{word: value for word, value in UNIT_WORDS.items() if word != "one"},
    **{word: float(n) for n, word in enumerate(_TEENS, 10)},
    **TENS_WORDS,
    **{f"{ten}-{unit}": t + u for ten, t in TENS_WORDS.items() for unit, u in UNIT_WORDS.items()},
}
"""two to ninety-nine in one token."""

STOP_WORDS: Final = frozenset({
    "a", "across", "against", "all", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "between", "both", "but", "by", "can", "did", "do", "does", "during", "each", "for", "from",
    "had", "has", "have", "if", "in", "into", "is", "it", "its", "may", "more", "most", "no", "nor",
    "not", "of", "on", "only", "or", "other", "our", "out", "own", "per", "same", "so", "some",
    "such", "than", "that", "the", "their", "then", "there", "these", "they", "this", "those", "to",
    "too", "very", "was", "were", "which", "who", "will", "with", "would", "you", "your",
})  # fmt: skip
"""Words that say nothing of a text's subject."""

_GENERIC: Final = (
    "value", "number", "count", "total", "metric", "result", "answer", "rate", "share", "ratio",
    "proportion", "percent", "percentage", "average", "mean", "overall", "approximately", "about",
)  # fmt: skip

GENERIC_WORDS: Final = frozenset(f"{word}{plural}" for word in _GENERIC for plural in ("", "s"))
"""Words of measuring that any two facts share."""
