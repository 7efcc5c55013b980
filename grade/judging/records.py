"""One judgement as it is stored: what was asked, what came back, how it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from grade.judging.keys import Judge
from grade.judging.quotes import missing_quotes
from grade.judging.replies import Reading
from grade.judging.tables import JUDGEMENTS, QUESTION_KEY

SAME_FAMILY: Final = "same_family"
"""Flag of a judgement whose judge is of the family of the model that answered."""

QUOTE_NOT_FOUND: Final = "quote_not_found"
"""Flag of a judgement that quotes what the answer does not say."""

PLAIN_JSON: Final = "plain_json"
"""Flag of a judgement whose endpoint would not take a JSON schema."""

SERVED_OTHER: Final = "served_other_model"
"""Flag of a judgement that came from another model than the one that was asked."""


_COPIED: Final = ("question_key", "repeat", "kind", *QUESTION_KEY, "template")


class Asked(NamedTuple):
    """What putting one question took; sums are over the requests that were answered.

    Attributes:
        texts: The replies, in order.
        finish_reason: Why the last reply ended.
        served_model: The model that the endpoint names.
        n_calls: How many requests were answered.
        prompt_tokens: Their tokens; null when the endpoint does not tell.
        completion_tokens: The replies' tokens; null when the endpoint does not tell.
        cost_usd: What they cost; null when unknown.
        latency_ms: How long they took; null when unknown, as for a batch.
    """

    texts: tuple[str, ...]
    finish_reason: str | None = None
    served_model: str | None = None
    n_calls: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None


def build_judgement(
    question: Mapping[str, Any],
    judge: Judge,
    asked: Asked,
    reading: Reading,
    *,
    first_problem: str | None,
    flags: Iterable[str],
    asked_utc: str,
) -> dict[str, Any]:
    """Return a row of JUDGEMENTS; without a readable reply it is unscored and has no score.

    Args:
        question: A row of QUESTIONS.
        judge: Who was asked.
        asked: What came back.
        reading: How the last reply reads.
        first_problem: Why the first reply could not be read; None when it could.
        flags: What else a reader should know.
        asked_utc: When the answer came.
    """
    missing = missing_quotes(reading.quotes, question["answer_text"])
    told = {*flags, *([QUOTE_NOT_FOUND] if missing else [])}
    if asked.served_model and asked.served_model != judge.model:
        told.add(SERVED_OTHER)
    copied = {name: question[name] for name in _COPIED}
    took = asked._asdict() | {"raw_replies": list(asked.texts)}
    said = reading._asdict() | {"quotes": list(reading.quotes)}
    row = {
        "verdict_key": judge.verdict_key(question["question_key"], question["repeat"]),
        "judge_id": judge.id(question["repeat"]),
        "judge_model": judge.model,
        "parameters": judge.parameters,
        "reply_state": "unscored" if reading.problem else "repaired" if first_problem else "read",
        "problem": first_problem,
        "missing_quotes": missing,
        "flags": sorted(told),
        "asked_utc": asked_utc,
    }
    every = copied | took | said | row
    return {name: every[name] for name in JUDGEMENTS.columns}
