"""A gold fact, read once: what its claim says, its slack, its readings and its entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import regex

from .entities import by_kind, entities_in
from .quantities import Quantity, quantities
from .text import Sentence, content_words, has_cue, read_gold

RATE_WORDS = {"rate", "share", "ratio", "proportion", "percent", "percentage"}
RATE_WORDS |= {word + "s" for word in RATE_WORDS}
KEY_RATE_WORDS = RATE_WORDS | {"pct", "gap"}

Entities = dict[str, frozenset[str]]


@dataclass(frozen=True)
class Claim:
    """The claim of a gold fact."""

    text: str
    sentences: tuple[Sentence, ...]
    words: tuple[str, ...]
    content: frozenset[str]
    has_cue: bool
    is_rate: bool

    def quantities(self) -> list[tuple[Sentence, Quantity]]:
        """The claim's quantities with their sentences, in order."""
        return [(sentence, q) for sentence in self.sentences for q in quantities(sentence)]


@dataclass(frozen=True)
class Target:
    """A number to look for: its value, its slack, whether it is a rate, and its entities."""

    value: float
    slack: float
    is_rate: bool
    entities: Entities

    def within(self, value: float) -> bool:
        """Whether a value lies within the slack."""
        return abs(value - self.value) <= self.slack + 1e-9 * max(1.0, abs(self.value))

    def reading(
        self, value: float, *, percent: bool, key_words: tuple[str, ...] | None = None
    ) -> tuple[str, float] | None:
        """The method and value under which a value is the target, or None.

        `key_words` are the words of a structured value's key, None for a value in text.
        """
        if self.within(value):
            return "as_stated", value
        says_rate = key_words is None or holds_word(key_words, KEY_RATE_WORDS)
        if self._divides(value, percent, key_words is not None and says_rate) and self.within(value / 100):
            return "divided_by_100", value / 100
        if self._multiplies(value, percent, says_rate) and self.within(value * 100):
            return "times_100", value * 100
        return None

    def _divides(self, value: float, percent: bool, rate_key: bool) -> bool:
        if not self.is_rate or abs(self.value) > 1:
            return False
        return percent or (rate_key and 1 < abs(value) <= 100)

    def _multiplies(self, value: float, percent: bool, says_rate: bool) -> bool:
        if not self.is_rate or not 1 < abs(self.value) <= 100:
            return False
        return 0 < abs(value) < 1 and not percent and says_rate


def holds_word(words: Iterable[str], wanted: set[str]) -> bool:
    """Whether a wanted word is one of the words or of their parts."""
    return any(word in wanted or not wanted.isdisjoint(regex.split(r"[-./]", word)) for word in words)


def read_claim(fact: dict[str, Any]) -> Claim:
    """Read the claim of a gold fact."""
    sentences = read_gold(fact["claim"])
    words = tuple(word for sentence in sentences for word in sentence.words)
    is_rate = (
        fact.get("unit") in {"fraction", "percent"} or "%" in fact["claim"] or holds_word(words, RATE_WORDS)
    )
    return Claim(fact["claim"], sentences, words, content_words(words), has_cue(words), is_rate)


def absolute_slack(fact: dict[str, Any]) -> float:
    """The slack of a fact with a numeric value."""
    tolerance = fact.get("tolerance")
    if tolerance is None:
        return 0.0
    if isinstance(tolerance, str):
        return float(tolerance.strip().removesuffix("%")) / 100 * (abs(float(fact["numeric_value"])) or 1.0)
    return float(tolerance)


def read_target(fact: dict[str, Any], claim: Claim) -> Target:
    """The number that a fact with a numeric value looks for."""
    value = float(fact["numeric_value"])
    bare = Target(value, absolute_slack(fact), claim.is_rate, {})
    return Target(bare.value, bare.slack, bare.is_rate, _fact_entities(claim, bare))


def _fact_entities(claim: Claim, target: Target) -> Entities:
    """For each kind that the claim names, the entities that its gold quantity belongs to."""
    everything = by_kind(entities_in(claim.words))
    golden = [(sentence, q) for sentence, q in claim.quantities() if _is_gold(q, target)]
    near: dict[str, set[str]] = {kind: set() for kind in everything}
    for sentence, quantity in golden:
        for kind, names in clause_entities(sentence, quantity).items():
            near[kind] |= names
    use_all = not golden or any(quantity.difference for _, quantity in golden)
    return {
        kind: frozenset(names if use_all or not near[kind] else near[kind])
        for kind, names in everything.items()
    }  # fmt: skip


def _is_gold(quantity: Quantity, target: Target) -> bool:
    """Whether a quantity of the claim equals gold."""
    if target.within(quantity.value):
        return True
    return quantity.percent and abs(quantity.value / 100 - target.value) <= max(target.slack, 0.0005)


def clause_entities(sentence: Sentence, quantity: Quantity) -> Entities:
    """The entities of a quantity's clause, by kind."""
    clause = sentence.clauses[quantity.first]
    inside = [e for e in entities_in(sentence.words) if sentence.clauses[e.index] == clause]
    return {kind: frozenset(names) for kind, names in by_kind(inside).items()}


def claim_targets(claim: Claim) -> list[tuple[Target, Callable[[Quantity], bool]]]:
    """The quantities of a text fact as targets with their tests, each with its own clause's entities."""
    targets = []
    for sentence, quantity in claim.quantities():
        target = Target(quantity.value, 0.0, claim.is_rate, clause_entities(sentence, quantity))
        targets.append((target, _states(quantity, target)))
    return targets


def _states(claimed: Quantity, target: Target) -> Callable[[Quantity], bool]:
    """The test whether a quantity of an answer states a quantity of the claim."""

    def states(found: Quantity) -> bool:
        reading = target.reading(found.value, percent=found.percent)
        if reading is None or reading[0] == "as_stated":
            return reading is not None
        return claimed.percent == (reading[0] == "times_100")

    return states
