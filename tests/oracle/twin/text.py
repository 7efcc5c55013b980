"""Text as the scorer reads it: cleaning, entries, sentences, tokens, clauses and content words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

SPACE = r"\p{White_Space}"

_REPLACED = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2212\uff0d", "-"),
    **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
    **dict.fromkeys("\u00a0\u2009\u202f", " "),
    **dict.fromkeys("\u200b\ufeff", ""),
}
_CLEANING = str.maketrans(_REPLACED)

_LEAD = regex.compile(rf"^({SPACE}*([-*•·>#]+|[0-9]+[.)]){SPACE}+|{SPACE}*[#*]+{SPACE}*)+")
_OUTER_BARS = regex.compile(rf"^{SPACE}*\||\|{SPACE}*$")
_SENTENCE_END = regex.compile(rf"[.!?]+[\"')\]*_]*(?={SPACE}|$)")
_TOKEN = regex.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?"
    r"|[0-9]+(?:/[0-9]+)+"
    r"|[\p{L}\p{N}]+(?:[-'._][\p{L}\p{N}]+)*"
)
_THOUSANDS = regex.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_NUMBER = regex.compile(r"[0-9]+(?:\.[0-9]+)?")
_CLAUSE_MARK = regex.compile(rf"[,;:](?={SPACE})")
_CLAUSE_WORDS = {"and", "while", "whereas", "versus"}

CUES = {"not", "no", "never", "none", "nor", "neither", "without", "cannot", "can't"}

MONTHS = {
    "january": "jan", "february": "feb", "march": "mar", "april": "apr", "june": "jun", "july": "jul",
    "august": "aug", "september": "sep", "october": "oct", "november": "nov", "december": "dec",
    "jan": "jan", "feb": "feb", "mar": "mar", "apr": "apr", "jun": "jun", "jul": "jul", "aug": "aug",
    "sep": "sep", "sept": "sep", "oct": "oct", "nov": "nov", "dec": "dec",
}  # fmt: skip

_STOP_WORDS = set(
    """a across against all an and any are as at be been being between both but by can did do does during each for
    from had has have if in into is it its may more most no nor not of on only or other our out own per same so some
    such than that the their then there these they this those to too very was were which who will with would you
    your""".split()
)
_GENERIC_WORDS = set(
    """value number count total metric result answer rate share ratio proportion percent percentage average mean
    overall approximately about""".split()
)
_IGNORED = _STOP_WORDS | _GENERIC_WORDS | {word + "s" for word in _GENERIC_WORDS}


@dataclass(frozen=True)
class Token:
    """One token: its normal form and where it stands in the lower-case text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A piece of an entry, or of a gold text, in its original case and with cleaned characters."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The sentence in lower case; token positions refer to it."""
        return self.text.lower()

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The sentence's tokens from left to right."""
        return tokenize(self.lower)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The normal forms of the tokens."""
        return tuple(token.text for token in self.tokens)

    @cached_property
    def clauses(self) -> tuple[int, ...]:
        """For each token the number of its clause within the sentence."""
        return _clause_numbers(self.lower, self.tokens)

    @cached_property
    def content(self) -> frozenset[str]:
        """The content words of the sentence."""
        return content_words(self.words)


@dataclass(frozen=True)
class Entry:
    """One string of key_findings or limitations, or the whole raw text, as its sentences."""

    sentences: tuple[Sentence, ...]

    @cached_property
    def whole(self) -> Sentence:
        """The entry as one text: its sentences joined with a space."""
        return Sentence(" ".join(sentence.text for sentence in self.sentences))


def clean(text: str) -> str:
    """Normalise the characters of a text, keeping its case."""
    text = text.translate(_CLEANING)
    text = regex.sub(r"\u2013(?=[0-9])", "-", text)
    return text.replace("\u2013", " ")


def read_entry(text: str) -> Entry:
    """Read an entry: clean it, strip bars and leads on each line, and cut it into sentences."""
    sentences: list[Sentence] = []
    for line in regex.split(r"[\n\r]", clean(text)):
        bare = _LEAD.sub("", _OUTER_BARS.sub("", line))
        sentences.extend(_cut(bare.replace("|", "; ")))
    return Entry(tuple(sentences))


@lru_cache(maxsize=4096)
def read_gold(text: str) -> tuple[Sentence, ...]:
    """Cut a gold text into sentences; gold texts have no leads and no table bars."""
    sentences: list[Sentence] = []
    for line in regex.split(r"[\n\r]", clean(text)):
        sentences.extend(_cut(line))
    return tuple(sentences)


def _cut(line: str) -> list[Sentence]:
    """Cut a line at its sentence ends; a piece without a token is nothing."""
    pieces = []
    begin = 0
    for match in _SENTENCE_END.finditer(line):
        pieces.append(line[begin : match.end()])
        begin = match.end()
    pieces.append(line[begin:])
    sentences = [Sentence(strip(piece)) for piece in pieces]
    return [sentence for sentence in sentences if sentence.tokens]


def strip(text: str) -> str:
    """Strip Unicode White_Space from both ends."""
    return str(regex.sub(rf"^{SPACE}+|{SPACE}+$", "", text))


def tokenize(lower: str) -> tuple[Token, ...]:
    """Find the tokens of a cleaned lower-case text."""
    return tuple(Token(_normal(m.group()), m.start(), m.end()) for m in _TOKEN.finditer(lower))


def words_of(text: str) -> tuple[str, ...]:
    """The normal forms of the tokens of any text, cleaned first."""
    return tuple(token.text for token in tokenize(clean(text).lower()))


def _normal(raw: str) -> str:
    """The normal form of a token."""
    if _THOUSANDS.fullmatch(raw):
        raw = raw.replace(",", "")
    raw = raw.removesuffix("'s")
    if _NUMBER.fullmatch(raw) and "." in raw:
        raw = raw.rstrip("0").rstrip(".")
    return raw


def _clause_numbers(lower: str, tokens: tuple[Token, ...]) -> tuple[int, ...]:
    """Number the clauses: a clause ends at a mark and before a joining word."""
    marks = [match.start() for match in _CLAUSE_MARK.finditer(lower)]
    numbers = []
    joining = 0
    for token in tokens:
        if token.text in _CLAUSE_WORDS:
            joining += 1
        passed = sum(1 for mark in marks if mark < token.start)
        numbers.append(passed + joining)
    return tuple(numbers)


def is_number(word: str) -> bool:
    """Whether a token is digits with at most one dot."""
    return _NUMBER.fullmatch(word) is not None


def is_cue(word: str) -> bool:
    """Whether a token is a negation cue."""
    return word in CUES or word.endswith("n't")


def has_cue(words: tuple[str, ...]) -> bool:
    """Whether any token is a negation cue."""
    return any(is_cue(word) for word in words)


def content_words(words: tuple[str, ...]) -> frozenset[str]:
    """The content words of a token sequence."""
    found = set()
    for word in words:
        for part in regex.split(r"[-./_]", word):
            kept = _content_word(part)
            if kept is not None:
                found.add(kept)
    return frozenset(found)


def _content_word(part: str) -> str | None:
    """The content word that a part of a token is, if it is one."""
    if len(part) < 3 or regex.fullmatch(r"[0-9]+", part):
        return None
    stem = part[:-1] if part.endswith("s") and len(part) > 3 else part
    if part in _IGNORED or stem in _IGNORED:
        return None
    return MONTHS.get(part) or MONTHS.get(stem) or stem


def find_sequence(needle: tuple[str, ...], words: tuple[str, ...]) -> list[int]:
    """The places where a token sequence stands inside another, from left to right."""
    if not needle:
        return []
    last = len(words) - len(needle)
    return [at for at in range(last + 1) if words[at : at + len(needle)] == needle]
