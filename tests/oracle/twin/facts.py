"""C1: the checks of gold facts against an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .answer import Answer
from .entities import Entity, by_kind, entities_in, identifiers_in
from .gold import Claim, Entities, Target, claim_targets, read_claim, read_target
from .metrics import Leaf, key_words, segments
from .quantities import Quantity, quantities
from .text import Sentence, clean, content_words, find_sequence, has_cue, is_cue, strip, words_of
from .verdicts import Verdicts

_REACH = 5


@dataclass(frozen=True)
class Match:
    """How a fact was found in an answer."""

    source: str
    evidence: str | None
    method: str
    predicted_value: float | None = None
    matched: bool = True


@dataclass(frozen=True)
class _Place:
    """Where a quantity of an answer stands: its sentence in reading order, and its token."""

    field: str
    order: int
    sentence: Sentence
    index: int


def check_facts(task: dict[str, Any], answer: Answer, verdicts: Verdicts) -> list[dict[str, Any]]:
    """The fact_checks rows of one run."""
    rows = []
    for fact in task.get("gold_facts") or []:
        match = None if answer.is_empty else _check(fact, answer, verdicts)
        rows.append(_row(fact, answer, match))
    return rows


def _row(fact: dict[str, Any], answer: Answer, match: Match | None) -> dict[str, Any]:
    model_id, task_id, run_index = answer.key
    numeric = fact.get("numeric_value") is not None
    target = read_target(fact, read_claim(fact)) if numeric else None
    matched = match is not None and match.matched
    return {
        "model_id": model_id,
        "task_id": task_id,
        "run_index": run_index,
        "fact_id": fact["fact_id"],
        "score": 1.0 if matched else 0.0,
        "matched": matched,
        "gold_value": target.value if target else None,
        "tolerance": target.slack if target else None,
        "predicted_value": match.predicted_value if match else None,
        "source": match.source if match else None,
        "evidence": match.evidence if match else None,
        "method": match.method if match else None,
    }


def _check(fact: dict[str, Any], answer: Answer, verdicts: Verdicts) -> Match | None:
    """Find one fact in an answer."""
    claim = read_claim(fact)
    if fact.get("numeric_value") is not None:
        return _numeric(fact, claim, answer)
    if fact.get("string_value") is not None:
        match = _string(fact["string_value"], answer)
    elif claim.quantities():
        match = _by_quantities(claim, answer)
    else:
        match = _by_words(claim, answer)
    if match is None:
        made, _ = verdicts.claim(answer.key, "fact:" + fact["fact_id"])
        if made is not None:
            return Match("judge", None, "judge", matched=made)
    return match


def _numeric(fact: dict[str, Any], claim: Claim, answer: Answer) -> Match | None:
    """A fact with a numeric value: structured values first, then text."""
    target = read_target(fact, claim)
    names = {_plain(name) for name in fact.get("metric_keys") or []}
    leaves = answer.metrics.leaves
    declared = [leaf for leaf in leaves if any(_plain(part) in names for part in segments(leaf.key))]
    match = _structured(fact, claim, target, declared or leaves, names)
    if match is not None or declared:
        return match

    for place, quantity in _occurrences(claim, target.entities, answer):
        reading = target.reading(quantity.value, percent=quantity.percent)
        if reading is not None:
            return Match(place.field, place.sentence.text, reading[0], reading[1])
    return None


def _plain(name: str) -> str:
    return strip(clean(name).lower())


def _structured(
    fact: dict[str, Any], claim: Claim, target: Target, leaves: list[Leaf], names: set[str]
) -> Match | None:
    """The bound leaf nearest to gold; the first one of several."""
    best: Match | None = None
    nearest = float("inf")
    for leaf in leaves:
        if leaf.number is None or not _bound(leaf, fact["fact_id"], claim, target, names):
            continue
        reading = target.reading(leaf.number, percent=leaf.percent, key_words=key_words(leaf.key))
        if reading is not None and abs(reading[1] - target.value) < nearest:
            nearest = abs(reading[1] - target.value)
            best = Match("structured", leaf.key, reading[0], reading[1])
    return best


def _bound(leaf: Leaf, fact_id: str, claim: Claim, target: Target, names: set[str]) -> bool:
    """Whether a leaf speaks of the fact."""
    words = key_words(leaf.key)
    for kind, own in target.entities.items():
        named = by_kind(entities_in(words)).get(kind, [])
        if named and not own & set(named):
            return False
    for segment in segments(leaf.key):
        if _plain(segment) == _plain(fact_id) or _plain(segment) in names:
            return True
        if find_sequence(key_words(fact_id), key_words(segment)):
            return True
    return bool(content_words(words) & claim.content)


def _occurrences(claim: Claim, entities: Entities, answer: Answer) -> Iterator[tuple[_Place, Quantity]]:
    """The quantities of an answer that may speak of the claim, in reading order."""
    for order, (field, sentence) in enumerate(answer.sentences()):
        if not sentence.content & claim.content:
            continue
        for quantity in quantities(sentence):
            if _belongs(sentence, quantity, entities) and _asserted(sentence, quantity, claim):
                yield _Place(field, order, sentence, quantity.first), quantity


def _belongs(sentence: Sentence, quantity: Quantity, entities: Entities) -> bool:
    """Whether for each kind the entity nearest to a quantity is one of the fact's."""
    named = entities_in(sentence.words)
    for kind, own in entities.items():
        nearest = _nearest(sentence, quantity, [entity for entity in named if entity.kind == kind])
        if nearest is not None and nearest.name not in own:
            return False
    return True


def _nearest(sentence: Sentence, quantity: Quantity, named: list[Entity]) -> Entity | None:
    """The entity nearest to a quantity: in its clause, else before it, else after it."""
    before = [entity for entity in named if entity.index < quantity.first]
    after = [entity for entity in named if entity.index > quantity.last]
    clause = sentence.clauses[quantity.first]
    left = [entity for entity in before if sentence.clauses[entity.index] == clause]
    right = [entity for entity in after if sentence.clauses[entity.index] == clause]
    if left and right:
        to_left = quantity.first - left[-1].index
        to_right = right[0].index - quantity.last
        return left[-1] if to_left <= to_right else right[0]
    for choice in (left[-1:], right[:1], before[-1:], after[:1]):
        if choice:
            return choice[0]
    return None


def _asserted(sentence: Sentence, quantity: Quantity, claim: Claim) -> bool:
    """Whether no negation cue shortly before a quantity in its clause denies it."""
    if claim.has_cue:
        return True
    clause = sentence.clauses[quantity.first]
    for index in range(max(0, quantity.first - _REACH), quantity.first):
        if sentence.clauses[index] == clause and is_cue(sentence.words[index]):
            return False
    return True


def _string(value: str, answer: Answer) -> Match | None:
    """A fact with a string value: a text leaf, or its tokens in a sentence."""
    wanted = _plain(value).casefold()
    for leaf in answer.metrics.leaves:
        if leaf.text is not None and _plain(leaf.text).casefold() == wanted:
            return Match("structured", leaf.key, "string_value")
    needle = words_of(value)
    for field, sentence in answer.sentences():
        for at in find_sequence(needle, sentence.words):
            if not has_cue(sentence.words[max(0, at - _REACH) : at]):
                return Match(field, sentence.text, "string_value")
    return None


def _by_quantities(claim: Claim, answer: Answer) -> Match | None:
    """A text fact with quantities: each must be stated, in the claim's order within one sentence."""
    placed: list[tuple[Target, _Place]] = []
    for target, states in claim_targets(claim):
        found = (
            place for place, quantity in _occurrences(claim, target.entities, answer) if states(quantity)
        )
        place = next(found, None)
        if place is None:
            return None
        placed.append((target, place))
    for later, (target, place) in enumerate(placed):
        for earlier_target, earlier in placed[:later]:
            differ = (
                target.entities and earlier_target.entities and target.entities != earlier_target.entities
            )
            if earlier.order == place.order and earlier.index > place.index and not differ:
                return None
    first = placed[0][1]
    return Match(first.field, first.sentence.text, "quantities")


def _by_words(claim: Claim, answer: Answer) -> Match | None:
    """A text fact without quantities: half its content words, its identifiers and its polarity in one sentence."""
    if not claim.content:
        return None
    needed = identifiers_in(claim.words)
    for field, sentence in answer.sentences():
        shared = len(sentence.content & claim.content)
        if 2 * shared < len(claim.content) or not needed <= identifiers_in(sentence.words):
            continue
        if has_cue(sentence.words) == claim.has_cue:
            return Match(field, sentence.text, "words")
    return None
