"""The dimensions of a run and of a group of runs, and the composites."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from .answer import Answer
from .verdicts import Verdicts, mean

WEIGHTS = {
    "grounding_accuracy": 35,
    "insight_quality": 20,
    "evidence_linkage": 15,
    "calibration_limitation_handling": 15,
    "consistency": 10,
    "structure_usability": 5,
}
DIMENSIONS = tuple(WEIGHTS)
_JUDGED = ("evidence_linkage", "structure_usability")

Row = dict[str, Any]


def score_run(
    task: Row, answer: Answer, facts: list[Row], claims: list[Row], verdicts: Verdicts, judged: set[str]
) -> list[Row]:
    """The run_scores rows of one run.

    `judged` holds the dimensions on which some run of the group has a verdict.
    """
    parts = _parts(task, claims)
    scores = {
        "grounding_accuracy": mean([row["score"] for row in facts]),
        "insight_quality": mean([row["score"] for row in claims if row["kind"] == "insight"]),
        "calibration_limitation_handling": _calibration(parts),
        "consistency": None,
        **{dimension: verdicts.dimension(answer.key, dimension) for dimension in _JUDGED},
    }
    if answer.is_empty:
        scores = _silent(scores, judged)
    flags = _flags(answer, claims, parts)
    if task["track"] == 3 and not answer.is_traceable:
        flags["evidence_linkage"].append("evidence_gate")
        if scores["evidence_linkage"] is not None:
            scores["evidence_linkage"] = 0.0
    return [_row(answer, dimension, scores[dimension], flags[dimension]) for dimension in sorted(DIMENSIONS)]


def _row(answer: Answer, dimension: str, score: float | None, flags: list[str]) -> Row:
    model_id, task_id, run_index = answer.key
    return {
        "model_id": model_id,
        "task_id": task_id,
        "run_index": run_index,
        "dimension": dimension,
        "score": score,
        "source": "judge" if dimension in _JUDGED else "rule",
        "flags": sorted(flags),
    }


def _silent(scores: dict[str, float | None], judged: set[str]) -> dict[str, float | None]:
    """The scores of an empty run: 0 wherever there is something to measure."""
    silent: dict[str, float | None] = {}
    for dimension, score in scores.items():
        measured = dimension in judged if dimension in _JUDGED else score is not None
        silent[dimension] = 0.0 if measured else None
    return silent


def _parts(task: Row, claims: list[Row]) -> list[list[Row]]:
    """The three parts of calibration: limitations, forbidden claims and (marked) insights."""
    insights = task.get("gold_insights") or []
    marked = {
        f"insight:{position}"
        for position, insight in enumerate(insights)
        if isinstance(insight, dict) and insight.get("calibration")
    }
    return [
        [row for row in claims if row["kind"] == "limitation"],
        [row for row in claims if row["kind"] == "forbidden"],
        [row for row in claims if row["kind"] == "insight" and (not marked or row["claim_id"] in marked)],
    ]


def _calibration(parts: list[list[Row]]) -> float | None:
    """The mean of the parts that are not empty."""
    means = [mean([row["score"] for row in part]) for part in parts]
    return mean([value for value in means if value is not None])


def _flags(answer: Answer, claims: list[Row], parts: list[list[Row]]) -> dict[str, list[str]]:
    """The flags of a run's rows, the gate's apart."""
    flags: dict[str, list[str]] = {dimension: [] for dimension in DIMENSIONS}
    if answer.is_empty:
        for dimension in DIMENSIONS:
            flags[dimension].append("empty_response")
    if answer.metrics.nonfinite:
        flags["grounding_accuracy"].append("nonfinite_metric")
    if any(row["kind"] == "insight" and not row["settled"] for row in claims):
        flags["insight_quality"].append("unjudged_claims")
    if any(not row["settled"] for part in parts for row in part):
        flags["calibration_limitation_handling"].append("unjudged_claims")
    return flags


def score_group(task: Row, pack_id: str, run_rows: list[Row], claims: list[Row], consistency: Row) -> Row:
    """The task_scores row of one group."""
    n_runs = consistency["n_runs"]
    scores: dict[str, float | None] = {}
    counts: dict[str, int] = {}
    for dimension in DIMENSIONS:
        rows = [row for row in run_rows if row["dimension"] == dimension]
        values = [row["score"] for row in rows if row["score"] is not None]
        scores[dimension] = mean(values)
        counts[dimension] = len(values)
    scores["consistency"] = consistency["consistency"]
    counts["consistency"] = 0 if scores["consistency"] is None else n_runs
    flags = {flag for row in run_rows for flag in row["flags"]}
    if n_runs < 2:
        flags.add("single_run")
    if scored_weight(scores) < 1:
        flags.add("partial")
    rubric = {name: Fraction(part["weight"]) for name, part in task["rubric"].items()}
    return {
        "model_id": consistency["model_id"],
        "task_id": task["task_id"],
        "track": task["track"],
        "pack_id": pack_id,
        "n_runs": n_runs,
        **scores,
        "composite": composite(scores, {name: Fraction(weight) for name, weight in WEIGHTS.items()}),
        "weight_scored": scored_weight(scores),
        "rubric_composite": composite(scores, rubric),
        "claims_judged": share_settled(claims),
        "flags": sorted(flags),
        **{f"n_scored_{dimension}": counts[dimension] for dimension in DIMENSIONS},
    }


def composite(scores: dict[str, float | None], weights: dict[str, Fraction]) -> float | None:
    """The weighted mean of the scored dimensions; None without any weight."""
    used = [(weights[name], Fraction(score)) for name, score in scores.items() if score is not None]
    total = sum((weight for weight, _ in used), Fraction(0))
    if total == 0:
        return None
    return float(sum((weight * score for weight, score in used), Fraction(0)) / total)


def scored_weight(scores: dict[str, float | None]) -> float:
    """The share of the locked weights whose dimensions are scored."""
    return math.fsum(WEIGHTS[name] for name, score in scores.items() if score is not None) / 100


def share_settled(claims: list[Row]) -> float | None:
    """The share of claim checks that a match or a verdict settles; None without checks."""
    return mean([1.0 if row["settled"] else 0.0 for row in claims])
