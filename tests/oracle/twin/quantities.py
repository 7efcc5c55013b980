"""Quantities of a sentence: what its numbers say, with sign, scale and percent flag."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import regex

from .entities import SEASONS
from .text import MONTHS, SPACE, Sentence, Token, is_number

_EXPONENT = regex.compile(r"[0-9]+(?:\.[0-9]+)?e-?[0-9]+")
_OPEN_EXPONENT = regex.compile(r"[0-9]+(?:\.[0-9]+)?e")
_GLUED = regex.compile(r"([0-9]+(?:\.[0-9]+)?)-?(x|pp|points?|percent|percentage|percentage-points?)")
_PERCENT_SIGN = regex.compile(rf"{SPACE}*%")
_EUROPEAN = regex.compile(r"(?<![\p{L}\p{N}]|[0-9][.,])[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9]|[.,][0-9])")
_YEAR = regex.compile(r"(?:19|20)[0-9]{2}")

_MULTIPLIERS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_POINTS = {"point", "points"}
_YEAR_WORDS = {*MONTHS, "may", *SEASONS, "year", "fy", "in", "since", "until"}
_BOUND_WORDS = {"over", "above", "below", "under", "exceed", "exceeds", "exceeding"}
_BOUND_PAIRS = {
    ("more", "than"), ("less", "than"), ("fewer", "than"), ("at", "least"), ("at", "most"), ("up", "to"),
}  # fmt: skip
_UNITS = ("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
          "seventeen eighteen nineteen").split()  # fmt: skip
_SMALL = {word: value for value, word in enumerate(_UNITS, start=2)}
_DIGITS = {"one": 1, **{word: value for word, value in _SMALL.items() if value < 10}}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}


@dataclass(frozen=True)
class Quantity:
    """A quantity: value, flags, and the tokens that spell its number.

    `first` and `last` are token indexes; `percent` is the percent flag; `difference` says that points follow.
    """

    value: float
    percent: bool
    difference: bool
    first: int
    last: int


@dataclass(frozen=True)
class _Spelled:
    """A number as spelled in a sentence, before scale, flags and exclusions."""

    value: float
    first: int
    last: int
    begin: int
    unit: str = ""


@lru_cache(maxsize=65536)
def quantities(sentence: Sentence) -> tuple[Quantity, ...]:
    """The quantities of a sentence, from left to right."""
    found = []
    european = [match.span() for match in _EUROPEAN.finditer(sentence.lower)]
    index = 0
    while index < len(sentence.tokens):
        token = sentence.tokens[index]
        spelled = _spelled(sentence, index)
        index = index + 1 if spelled is None else spelled.last + 1
        if spelled is None or any(begin <= token.start < end for begin, end in european):
            continue
        if math.isnan(spelled.value) or _excluded(sentence, spelled):
            continue
        quantity = _complete(sentence, spelled)
        if math.isfinite(quantity.value):
            found.append(quantity)
    return tuple(found)


def _spelled(sentence: Sentence, index: int) -> _Spelled | None:
    """The number that begins at a token, as digits or as words."""
    return _digits(sentence, index) or _number_word(sentence, index)


def _digits(sentence: Sentence, index: int) -> _Spelled | None:
    """A number in digits: plain, with exponent, or glued to its unit."""
    token = sentence.tokens[index]
    unit = ""
    last = index
    digits = token.text
    glued = _GLUED.fullmatch(token.text)
    if glued:
        digits, unit = glued.group(1), glued.group(2)
    elif _OPEN_EXPONENT.fullmatch(token.text) and _plus_follows(sentence, index):
        digits += sentence.tokens[index + 1].text
        last = index + 1
    elif not is_number(token.text) and not _EXPONENT.fullmatch(token.text):
        return None
    begin, negative, fraction = _prefix(sentence.lower, token)
    value = float("0." + digits if fraction and _can_lead(digits) else digits)
    return _Spelled(-value if negative else value, index, last, begin, unit)


def _can_lead(digits: str) -> bool:
    """Whether digits may stand after a leading dot."""
    return "." not in digits


def _plus_follows(sentence: Sentence, index: int) -> bool:
    """Whether ``+digits`` follows at once, as in ``1.5e+3``."""
    if index + 1 >= len(sentence.tokens):
        return False
    here, after = sentence.tokens[index], sentence.tokens[index + 1]
    between = sentence.lower[here.end : after.start]
    return between == "+" and regex.fullmatch(r"[0-9]+", after.text) is not None


def _prefix(lower: str, token: Token) -> tuple[int, bool, bool]:
    """Where a number begins with its signs, whether it is negative, and whether a dot leads it."""
    begin = token.start
    fraction = lower[begin - 1 : begin] == "." and not _alphanumeric(lower[: begin - 1][-1:])
    if fraction:
        begin -= 1
    if _currency(lower[:begin][-1:]):
        begin -= 1
    negative = lower[:begin].endswith("-") and not _alphanumeric(lower[: begin - 1][-1:])
    if negative:
        begin -= 1
        if _currency(lower[:begin][-1:]):
            begin -= 1
    return begin, negative, fraction


def _alphanumeric(character: str) -> bool:
    return regex.fullmatch(r"[\p{L}\p{N}]", character) is not None


def _currency(character: str) -> bool:
    return regex.fullmatch(r"\p{Sc}", character) is not None


def _number_word(sentence: Sentence, index: int) -> _Spelled | None:
    """A number in words; NaN for words beside "hundred", which are left alone."""
    words = sentence.words
    value, last = _word_value(sentence, index)
    if value is None:
        return None
    beside = words[max(index - 1, 0) : index] + words[last + 1 : last + 2]
    if "hundred" in beside:
        return _Spelled(math.nan, index, last, sentence.tokens[index].start)
    if value == 1 and not _unit_after_one(words, last + 1):
        return None
    return _Spelled(float(value), index, last, sentence.tokens[index].start)


def _word_value(sentence: Sentence, index: int) -> tuple[int | None, int]:
    """The value of the number word at a token, and the index of its last token."""
    word = sentence.words[index]
    if word == "one":
        return 1, index
    if word in _SMALL:
        return _SMALL[word], index
    tens, _, ones = word.partition("-")
    if tens in _TENS and ones in _DIGITS:
        return _TENS[tens] + _DIGITS[ones], index
    if word not in _TENS:
        return None, index
    if index + 1 < len(sentence.tokens) and sentence.words[index + 1] in _DIGITS:
        between = sentence.lower[sentence.tokens[index].end : sentence.tokens[index + 1].start]
        if regex.fullmatch(rf"{SPACE}+", between):
            return _TENS[word] + _DIGITS[sentence.words[index + 1]], index + 1
    return _TENS[word], index


def _unit_after_one(words: tuple[str, ...], index: int) -> bool:
    """Whether the unit that makes "one" a quantity begins at a token."""
    return _points_at(words, index) or words[index : index + 1] == ("percent",)


def _points_at(words: tuple[str, ...], index: int) -> bool:
    """Whether point(s), pp or percentage point(s) begins at a token."""
    here = words[index] if index < len(words) else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if here in _POINTS or here in {"pp", "percentage-point", "percentage-points"}:
        return True
    return here == "percentage" and after in _POINTS


def _percent_at(words: tuple[str, ...], index: int) -> bool:
    """Whether a word that flags percent begins at a token."""
    if _points_at(words, index):
        return True
    return words[index : index + 1] == ("percent",) or words[index : index + 2] == ("per", "cent")


def _complete(sentence: Sentence, spelled: _Spelled) -> Quantity:
    """Apply the multiplier that follows, and work out the flags."""
    words = sentence.words
    value = spelled.value
    after = spelled.last + 1
    if after < len(words) and words[after] in _MULTIPLIERS:
        value *= _MULTIPLIERS[words[after]]
        after += 1
    glued_percentage = spelled.unit == "percentage" and words[after : after + 1] in {("point",), ("points",)}
    glued_points = spelled.unit not in {"", "x", "percent", "percentage"}
    difference = glued_points or glued_percentage or _points_at(words, after)
    sign = _PERCENT_SIGN.match(sentence.lower, sentence.tokens[after - 1].end) is not None
    percent = difference or sign or spelled.unit == "percent" or _percent_at(words, after)
    return Quantity(value, percent, difference, spelled.first, spelled.last)


def _excluded(sentence: Sentence, spelled: _Spelled) -> bool:
    """Whether a number is a year, stands after an inequality sign, or after a bound phrase."""
    return _is_year(sentence, spelled) or _after_sign(sentence, spelled) or _after_bound(sentence, spelled)


def _is_year(sentence: Sentence, spelled: _Spelled) -> bool:
    token = sentence.tokens[spelled.first]
    if not _YEAR.fullmatch(sentence.lower[token.start : token.end]) or spelled.first == 0:
        return False
    return sentence.words[spelled.first - 1] in _YEAR_WORDS


def _after_sign(sentence: Sentence, spelled: _Spelled) -> bool:
    before = regex.sub(rf"{SPACE}+$", "", sentence.lower[: spelled.begin])
    if before.endswith(("<=", ">=", "<", "≤", "≥")):
        return True
    return before.endswith(">") and not before.endswith(("->", "=>"))


def _after_bound(sentence: Sentence, spelled: _Spelled) -> bool:
    words = sentence.words
    first = spelled.first
    if first >= 1 and words[first - 1] in _BOUND_WORDS:
        start = first - 1
    elif first >= 2 and words[first - 2 : first] in _BOUND_PAIRS:
        start = first - 2
    else:
        return False
    between = sentence.lower[sentence.tokens[start].start : spelled.begin]
    return not any(mark in between for mark in ",;:")
