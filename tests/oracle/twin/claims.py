"""C3: the checks of insights, required limitations and forbidden claims."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .answer import FIELDS, Answer
from .entities import by_kind, entities_in
from .text import Sentence, find_sequence, has_cue, is_cue, is_number, read_gold
from .verdicts import Verdicts

_REACH = 6
_DOUBT_WORDS = set("whether wrong incorrect insufficient unsupported unproven unknown unclear false".split())
_DIRECTION_WORDS = set(
    """higher lower more fewer less greater rose fell rise fall increased decreased increase decrease improved improve
    declined decline same equal exceeded exceeds below above""".split()
)
KINDS = {
    "insight": ("gold_insights", ("key_findings",)),
    "limitation": ("required_limitations", ("limitations",)),
    "forbidden": ("forbidden_claims", FIELDS),
}


@dataclass(frozen=True)
class RawMatch:
    """A candidate that matches a claim by its tokens."""

    contained: bool
    shared: int
    union: int
    reason: str | None
    field: str
    text: str

    @property
    def similarity(self) -> float:
        """The Jaccard similarity of the two token sets."""
        return self.shared / self.union


def claim_text(item: Any) -> str:
    """The text of an insight, a limitation or a forbidden claim."""
    return str(item["text"] if isinstance(item, dict) else item)


def check_claims(task: dict[str, Any], answer: Answer, verdicts: Verdicts) -> list[dict[str, Any]]:
    """The claim_checks rows of one run, each with a `settled` mark beside the table's columns."""
    rows = []
    for kind, (listed, fields) in KINDS.items():
        for position, item in enumerate(task.get(listed) or []):
            claim_id = f"{kind}:{position}"
            row = _decide(claim_text(item), kind, fields, answer, verdicts.claim(answer.key, claim_id))
            rows.append({**_keys(answer, claim_id, kind), **row})
    return rows


def _keys(answer: Answer, claim_id: str, kind: str) -> dict[str, Any]:
    model_id, task_id, run_index = answer.key
    return {
        "model_id": model_id,
        "task_id": task_id,
        "run_index": run_index,
        "claim_id": claim_id,
        "kind": kind,
    }


def _decide(
    claim: str, kind: str, fields: tuple[str, ...], answer: Answer, verdict: tuple[bool | None, bool]
) -> dict[str, Any]:
    """Decide one check: a person, else a conclusive match, else a model's verdict, else not made."""
    if answer.is_empty:
        return _result(kind, made=False, status="none", settled=True, reason="empty_response")
    best = _best_match(claim, kind, fields, answer)
    said, by_person = verdict
    if said is not None and (by_person or best is None or best.reason is not None):
        return _result(kind, made=said, status="judge", settled=True, match=best)
    if best is None:
        return _result(kind, made=False, status="none", settled=False)
    if best.reason is not None:
        return _result(kind, made=False, status="inconclusive", settled=False, reason=best.reason, match=best)
    return _result(
        kind, made=True, status="contained" if best.contained else "overlap", settled=True, match=best
    )


def _result(
    kind: str,
    *,
    made: bool,
    status: str,
    settled: bool,
    reason: str | None = None,
    match: RawMatch | None = None,
) -> dict[str, Any]:
    return {
        "made": made,
        "score": 1.0 if made != (kind == "forbidden") else 0.0,
        "status": status,
        "reason": reason,
        "similarity": match.similarity if match else None,
        "field": match.field if match else None,
        "evidence": match.text if match else None,
        "settled": settled,
    }


def _candidates(fields: tuple[str, ...], answer: Answer) -> list[tuple[str, Sentence]]:
    """The candidates in reading order; of the raw text only its sentences."""
    found = []
    for field in fields:
        for entry in answer.entries[field]:
            if field != "raw_response_text" and entry.sentences:
                found.append((field, entry.whole))
            found.extend((field, sentence) for sentence in entry.sentences)
    return found


def _best_match(claim: str, kind: str, fields: tuple[str, ...], answer: Answer) -> RawMatch | None:
    """The best conclusive match, else the best inconclusive one, else None."""
    best: RawMatch | None = None
    for field, candidate in _candidates(fields, answer):
        match = _match(_claim_words(claim), kind, field, candidate)
        if match is not None and (best is None or _better(match, best)):
            best = match
    return best


def _better(one: RawMatch, other: RawMatch) -> bool:
    """Whether a match beats an earlier one: conclusive, then contained, then the larger Jaccard."""
    ours = (one.reason is None, one.contained)
    theirs = (other.reason is None, other.contained)
    if ours != theirs:
        return ours > theirs
    return one.shared * other.union > other.shared * one.union


@lru_cache(maxsize=4096)
def _claim_words(claim: str) -> tuple[str, ...]:
    return tuple(word for sentence in read_gold(claim) for word in sentence.words)


def _match(claim: tuple[str, ...], kind: str, field: str, candidate: Sentence) -> RawMatch | None:
    """The raw match of a claim and a candidate with its guard, or None."""
    words = candidate.words
    if not claim or not words:
        return None
    shared = len(set(claim) & set(words))
    union = len(set(claim) | set(words))
    places = find_sequence(claim, words)
    if not places and 2 * shared < union:
        return None
    if places:
        reason = "negation" if _denied(claim, kind, words, places[0]) else None
    else:
        reason = _guard(claim, words, forbidden=kind == "forbidden")
    return RawMatch(bool(places), shared, union, reason, field, candidate.text)


def _denied(claim: tuple[str, ...], kind: str, words: tuple[str, ...], place: int) -> bool:
    """Whether the text around a contained claim denies or doubts it."""
    if kind == "forbidden":
        around = words[:place] + words[place + len(claim) :]
        return any(is_cue(word) or word in _DOUBT_WORDS for word in around)
    return has_cue(words[max(0, place - _REACH) : place])


def _guard(claim: tuple[str, ...], words: tuple[str, ...], *, forbidden: bool) -> str | None:
    """The first guard that makes an overlap inconclusive, or None."""
    if has_cue(claim) != has_cue(words) or (forbidden and (_DOUBT_WORDS & set(words)) - set(claim)):
        return "polarity"
    if _numbers_differ(claim, words, forbidden=forbidden):
        return "numbers"
    if _entities_differ(claim, words):
        return "entities"
    ours, theirs = _DIRECTION_WORDS & set(claim), _DIRECTION_WORDS & set(words)
    if ours and theirs and not ours & theirs:
        return "direction"
    return None


def _numbers(words: tuple[str, ...]) -> list[str]:
    """The distinct number tokens in order of first appearance."""
    return list(dict.fromkeys(word for word in words if is_number(word)))


def _numbers_differ(claim: tuple[str, ...], words: tuple[str, ...], *, forbidden: bool) -> bool:
    ours, theirs = set(_numbers(claim)), set(_numbers(words))
    if not ours or not theirs:
        return False
    return not ours <= theirs if forbidden else not ours & theirs


def _entities_differ(claim: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether entities of the claim are missing, or stand in another order though the numbers do not."""
    ours, theirs = by_kind(entities_in(claim)), by_kind(entities_in(words))
    for kind in ours:
        if kind not in theirs:
            continue
        if not set(ours[kind]) <= set(theirs[kind]):
            return True
        if _reordered(ours[kind], theirs[kind]) and not _reordered(_numbers(claim), _numbers(words)):
            return True
    return False


def _reordered(ours: list[str], theirs: list[str]) -> bool:
    """Whether the items that both lists share come in different orders."""
    return [item for item in ours if item in theirs] != [item for item in theirs if item in ours]
