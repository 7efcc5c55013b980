"""C4: the stability of a group of runs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

from .answer import Answer

_TOP = 3
_WEIGHTS = (50, 30, 20)


def check_consistency(answers: list[Answer]) -> dict[str, Any]:
    """The consistency row of a group of runs of one model on one task."""
    model_id, task_id, _ = answers[0].key
    parts: tuple[Fraction | None, ...] = (None, None, None)
    if len(answers) >= 2:
        rankings = _rankings([_top_findings(answer) for answer in answers])
        parts = _finding_stability(rankings), _ranking_stability(rankings), _metric_variance(answers)
    return {
        "model_id": model_id,
        "task_id": task_id,
        "n_runs": len(answers),
        "finding_stability": _number(parts[0]),
        "ranking_stability": _number(parts[1]),
        "metric_variance": _number(parts[2]),
        "consistency": _number(_combined(parts)),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _mean(values: list[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def _combined(parts: tuple[Fraction | None, ...]) -> Fraction | None:
    """The weighted mean of the parts that are measured."""
    used = [(weight, part) for weight, part in zip(_WEIGHTS, parts, strict=True) if part is not None]
    if not used:
        return None
    return sum((weight * part for weight, part in used), Fraction(0)) / sum(weight for weight, _ in used)


def _top_findings(answer: Answer) -> list[frozenset[str]]:
    """The token sets of the first three findings that have tokens."""
    sets = [frozenset(entry.whole.words) for entry in answer.entries["key_findings"] if entry.sentences]
    return sets[:_TOP]


def _rankings(groups: list[list[frozenset[str]]]) -> list[list[int]]:
    """For each run its unique findings, as numbers of components, ranked by first position."""
    nodes = [(run, tokens) for run, sets in enumerate(groups) for tokens in sets]
    component = list(range(len(nodes)))
    for one, other in combinations(range(len(nodes)), 2):
        if _linked(nodes[one][1], nodes[other][1]):
            old, new = component[other], component[one]
            component = [new if number == old else number for number in component]
    rankings: list[list[int]] = [[] for _ in groups]
    for (run, _), number in zip(nodes, component, strict=True):
        if number not in rankings[run]:
            rankings[run].append(number)
    return rankings


def _linked(one: frozenset[str], other: frozenset[str]) -> bool:
    return 2 * len(one & other) >= len(one | other)


def _finding_stability(rankings: list[list[int]]) -> Fraction | None:
    """The mean appearance rate of the unique findings."""
    unique = {finding for ranking in rankings for finding in ranking}
    rates = []
    for finding in unique:
        holders = sum(1 for ranking in rankings if finding in ranking)
        rates.append(Fraction(holders, len(rankings)))
    return _mean(rates)


def _ranking_stability(rankings: list[list[int]]) -> Fraction | None:
    """The mean agreement of the pairs of runs that can be compared."""
    pairs = [_agreement(one, other) for one, other in combinations(rankings, 2)]
    return _mean([agreement for agreement in pairs if agreement is not None])


def _agreement(one: list[int], other: list[int]) -> Fraction | None:
    """(tau-b + 1) / 2 over the shared findings; without two of them, 1 for equal sets, else None."""
    shared = [finding for finding in one if finding in other]
    if len(shared) < 2:
        return Fraction(1) if shared and set(one) == set(other) else None
    pairs = list(combinations(shared, 2))
    concordant = sum(1 for first, second in pairs if other.index(first) < other.index(second))
    tau = Fraction(2 * concordant - len(pairs), len(pairs))
    return (tau + 1) / 2


def _metric_variance(answers: list[Answer]) -> Fraction | None:
    """The mean of 1 / (1 + CV) over the numeric keys of at least two runs."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for leaf in answer.metrics.leaves:
            if leaf.number is not None:
                values.setdefault(leaf.key, []).append(leaf.number)
    return _mean([_steadiness(numbers) for numbers in values.values() if len(numbers) >= 2])


def _steadiness(numbers: list[float]) -> Fraction:
    """1 / (1 + CV) with the sample standard deviation."""
    exact = [Fraction(number) for number in numbers]
    mean = sum(exact, Fraction(0)) / len(exact)
    squares = sum(((number - mean) ** 2 for number in exact), Fraction(0)) / (len(exact) - 1)
    if squares == 0:
        return Fraction(1)
    if mean == 0:
        return Fraction(0)
    try:
        return Fraction(1 / (1 + math.sqrt(squares / mean**2)))
    except OverflowError:
        return Fraction(0)
