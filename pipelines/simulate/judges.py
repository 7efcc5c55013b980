"""Verdicts of simulated judges: on evidence and structure, and on claims that matching leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pipelines.simulate.dice import Dice
from pipelines.simulate.errors import RunPlan
from pipelines.simulate.gold import SimTask
from pipelines.simulate.models import SimulatedModel

Json = dict[str, Any]

FIRST_JUDGE: Final = "sim/judge-1"
SECOND_JUDGE: Final = "sim/judge-2"
READER: Final = "human:simulated-reader"

_SPREAD: Final = 0.30
_PASS, _PARTIAL = 4, 3
_LOW_CONFIDENCE: Final = 0.02
_UNITS: Final = {5: 0.9, 4: 0.75, 3: 0.5, 2: 0.25, 1: 0.0}
_REASONS: Final = {
    "evidence_linkage": {
        5: "Every figure names its file and column.",
        4: "Nearly every figure names its file and column.",
        3: "Files are named, columns only here and there.",
        2: "Most figures stand without a source.",
        1: "Nothing can be traced to the data.",
    },
    "structure_usability": {
        5: "Findings, sources and caveats are apart and easy to scan.",
        4: "Well ordered, with one or two long findings.",
        3: "Readable, but the order of the findings is hard to follow.",
        2: "Findings and caveats run into each other.",
        1: "There is nothing that a director could use.",
    },
}


def judge_run(key: Json, model: SimulatedModel, plan: RunPlan, dice: Dice) -> Iterator[Json]:
    """Yield the dimension verdicts on one run: one judge always, a second one on every other run."""
    for dimension, leaning in (
        ("evidence_linkage", model.evidence),
        ("structure_usability", model.structure),
    ):
        if leaning is None:
            continue
        first = _int_score(leaning, plan, dice, f"{FIRST_JUDGE} {dimension}")
        verdict = {**key, "dimension": dimension, "judge_id": FIRST_JUDGE, "int_score": first}
        yield verdict | _remarks(dimension, first, dice)
        if key["run_index"] % 2 == 0:
            second = _int_score(leaning, plan, dice, f"{SECOND_JUDGE} {dimension}")
            verdict = {**key, "dimension": dimension, "judge_id": SECOND_JUDGE, "score": _category(second)}
            yield verdict | {"confidence": _confidence(dice, f"{SECOND_JUDGE} {dimension}")}


def judge_claims(
    key: Json, task: SimTask, model: SimulatedModel, plan: RunPlan, dice: Dice
) -> Iterator[Json]:
    """Yield a verdict on claims that string matching leaves open; a reader confirms a few of them.

    Left open are paraphrases, which are made, and all claims that are not stated: negated insights,
    missing limitations, forbidden claims that the answer avoids.
    """
    for target, made in _open_claims(task, plan):
        if not dice.happens(f"judged {target}", model.judged_claims):
            continue
        verdict = {**key, "claim_id": target, "judge_id": FIRST_JUDGE, "score": "pass" if made else "fail"}
        yield verdict | {"confidence": _confidence(dice, f"claim {target}")}
        if made and dice.happens(f"read {target}", 0.05):
            yield {**key, "claim_id": target, "judge_id": READER, "score": "pass"}


def _open_claims(task: SimTask, plan: RunPlan) -> Iterator[tuple[str, bool]]:
    """Yield each claim that no verbatim statement settles, and whether the answer makes it."""
    if plan.is_empty:
        return
    for kind, statements in (("insight", task.insights), ("limitation", task.limitations)):
        for number in range(len(statements)):
            target = f"{kind}:{number}"
            if plan.happened("paraphrase", target):
                yield target, True
            elif plan.is_vague or any(
                plan.happened(e, target) for e in ("negated_insight", "missing_caveat")
            ):
                yield target, False
    for number in range(len(task.forbidden)):
        if not plan.happened("forbidden_claim", f"forbidden:{number}"):
            yield f"forbidden:{number}", False


def _int_score(leaning: float, plan: RunPlan, dice: Dice, name: str) -> int:
    if plan.is_empty or plan.is_vague:
        return 1
    unit = leaning + (dice.roll(f"unit {name}") - 0.5) * _SPREAD
    unit -= 0.2 * plan.happened("fabricated_citation") * ("evidence" in name)
    unit -= 0.2 * plan.happened("truncated") * ("structure" in name)
    return next(score for score, floor in _UNITS.items() if unit >= floor or score == 1)


def _category(int_score: int) -> str:
    return "pass" if int_score >= _PASS else "partial" if int_score == _PARTIAL else "fail"


def _remarks(dimension: str, int_score: int, dice: Dice) -> Json:
    remarks: Json = {
        "confidence": _confidence(dice, dimension),
        "reasoning": _REASONS[dimension][int_score],
    }
    if int_score < _PARTIAL:
        finding = {"severity": "medium", "title": _REASONS[dimension][int_score], "code": f"weak_{dimension}"}
        remarks["findings"] = [finding]
    return remarks


def _confidence(dice: Dice, name: str) -> float:
    """Return a confidence; about one in fifty is low."""
    roll = dice.roll(f"confidence {name}")
    return round(0.72 + 0.25 * roll, 2) if roll > _LOW_CONFIDENCE else 0.6
