"""Sentences of plain prose that hold back: caveats without a heading, and mere politeness."""

from __future__ import annotations

import re
from typing import Final

_CAUTION: Final = re.compile(
    r"\b(?:limitations?|caveats?|cautio(?:n|us|usly)|uncertain(?:ty)?|preliminary|tentative"
    r"|can ?not (?:be |by )?(?:\w+ly )?(?:tell|told|say|said|show|shown|prove|proven|establish(?:ed)?"
    r"|determined?|concluded?|compared?|explain|explained|rule|ruled|separate|separated|know|known|attribute|attributed)"
    r"|can't (?:tell|say|show|prove|establish|determine|conclude|compare|explain|rule|know)"
    r"|(?:do|does|did) not (?:show|prove|establish|tell|record|say why|explain|imply|include|cover|contain)"
    r"|(?:doesn't|don't|didn't) (?:show|prove|establish|tell|record|explain|imply|include|cover|contain)"
    r"|not (?:evidence of|proof of|causal|representative|generali[sz]e)|no causal|too (?:small|few|short)"
    r"|small (?:sample|subgroup|group|numbers?|cells?)|only (?:one|a single|covers?|cover) "
    r"|suppressed|should (?:be read|be treated|be interpreted|not be read|not be interpreted)|with care)\b",
    re.IGNORECASE,
)
_CHATTER: Final = re.compile(
    r"(?:sure|certainly|of course|absolutely|great question|happy to help|i hope|let me know|feel free"
    r"|thank you|please let me know|would you like|if you(?: would|'d) like"
    r"|here (?:is|are)(?: my| the| an?| your)"
    r"|below (?:is|are)|i'?ll|i will|let me|let's)\b",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"(?:also|in addition|additionally|moreover|further(?:more)?|finally|similarly|likewise|and|nor)\b",
    re.IGNORECASE,
)
_LONGEST_CHATTER: Final = 160


def is_caution(sentence: str) -> bool:
    """Tell whether a sentence says what the data or the answer cannot bear.

    Examples:
        >>> is_caution("One quarter cannot show a trend."), is_caution("Attendance rose to 82.4%.")
        (True, False)
    """
    return _CAUTION.search(sentence.replace("’", "'")) is not None


def goes_on(sentence: str) -> bool:
    """Tell whether a sentence adds to the one before it.

    Examples:
        >>> goes_on("Also, times are rounded."), goes_on("Times are rounded.")
        (True, False)
    """
    return _GOES_ON.match(sentence) is not None


def is_chatter(sentence: str) -> bool:
    """Tell whether a sentence speaks to the reader and says nothing about the data.

    Examples:
        >>> is_chatter("Let me know if you need more detail."), is_chatter("Let 82.4% be the base.")
        (True, False)
    """
    if len(sentence) > _LONGEST_CHATTER or any(character.isdigit() for character in sentence):
        return False
    return _CHATTER.match(sentence.replace("’", "'")) is not None
