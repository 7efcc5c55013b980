"""What a heading of an answer announces: findings, caveats, numbers, sources, or something else."""

from __future__ import annotations

import re
from typing import Final, Literal

from grade.answers.plain import plain

Role = Literal["findings", "limitations", "metrics", "citations", "other"]

_STRONG: Final[dict[Role, str]] = {
    "limitations": r"limitations?|caveats?|cautions?|cautionary|constraints?|unknowns?|disclaimers?"
    r"|assumptions?|uncertaint(?:y|ies)|data (?:gaps?|quality|issues?)|blind spots?"
    r"|(?:can ?not|can't|do(?:es)? not|don't|doesn't|not) (?:\w+ )?(?:show|tell|say|know|support|prove"
    r"|establish)|what is missing|keep in mind|read with care|reasons for care",
    "citations": r"sources?|citations?|cited|references?|bibliography|provenance|files? used|data used"
    r"|come from|evidence",
    "metrics": r"metrics?|(?:key|main|headline|supporting) (?:numbers?|figures?|values?|statistics|stats"
    r"|measures?)|by the numbers|statistics|kpis?|indicators?|data points|at a glance",
    "findings": r"findings?|insights?|takeaways?|take-aways?|observations?|highlights?|results?"
    r"|(?:key|main) (?:points?|messages?|patterns?)|bottom line|stands? out|stood out"
    r"|what (?:the data|we|i|they) (?:shows?|found|find|sees?|saw|says?|tells?)|short answer",
    "other": r"recommendations?|next steps?|actions?|methods?|methodology|approach|how (?:i|we|this was)"
    r"|introduction|background|appendix|question|task|data overview|suggestions?|follow-?up|context|scope",
}
_WEAK: Final[dict[Role, str]] = {
    "findings": r"summary|conclusions?|answer|analysis|overview|discussion|interpretation|implications?",
    "limitations": r"notes?|considerations?|risks?",
    "metrics": r"numbers|figures|values|measures",
}


def _pattern(words: dict[Role, str]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(f"(?P<{role}>{text})" for role, text in words.items()) + r")\b")


_PATTERNS: Final = (_pattern(_STRONG), _pattern(_WEAK))
_NUMBERING: Final = re.compile(
    r"(?:(?:section|part|step)\s+)?(?:[0-9]{1,2}(?:\.[0-9]{1,2})*+|[ivx]{1,4}|[a-h])[.):–—-]*+\s++(?=\D)"
)
_MODIFYING: Final = (
    "a an the key main major top important overall executive brief short data dataset and or & of in for to "
    "with first second third primary secondary structured requested computed reported relevant on my our "
    "this these study analysis known notable other general additional supporting core "
    "summary notes numbers figures values section list detailed final quick some interpretive"
)
_MODIFIERS: Final = frozenset(_MODIFYING.split())


def heading_name(text: str) -> str:
    """Return a heading's words in lower case, without numbering, marks and pictures around them.

    Examples:
        >>> heading_name("2. **Key Findings:**")
        'key findings'
    """
    name = plain(text).lower().replace("’", "'")
    name = name.strip(" \t:.-–—*#_=()[]")
    while name and not name[0].isalnum():
        name = name[1:].lstrip()
    while name and not name[-1].isalnum():
        name = name[:-1].rstrip()
    numbering = _NUMBERING.match(name)
    return name[numbering.end() :] if numbering else name


def role_of(name: str) -> Role | None:
    """Return what a heading's name announces, None when it says nothing known.

    The first telling word decides; words that tell less, such as "summary", only without another.

    Examples:
        >>> role_of("caveats and limitations"), role_of("summary of findings"), role_of("october")
        ('limitations', 'findings', None)
    """
    for pattern in _PATTERNS:
        found = pattern.search(name)
        if found is not None:
            return found.lastgroup  # type: ignore[return-value]
    return None


def is_bare_name(name: str) -> bool:
    """Tell whether a name says what a section is and nothing about the matter itself.

    Examples:
        >>> is_bare_name("key findings"), is_bare_name("october results")
        (True, False)
    """
    rest = name
    for pattern in _PATTERNS:
        rest = pattern.sub(" ", rest)
    words = re.findall(r"[\w&]+", rest)
    return role_of(name) is not None and all(word in _MODIFIERS for word in words)
