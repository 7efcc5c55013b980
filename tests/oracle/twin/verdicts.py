"""Verdicts of judges, found by run and by dimension or claim."""

from __future__ import annotations

import math
from typing import Any

_INT_UNITS = {1: 0.0, 2: 0.25, 3: 0.5, 4: 0.8, 5: 1.0}
_CATEGORY_UNITS = {"pass": 1.0, "partial": 0.5, "fail": 0.0}

RunKey = tuple[str, str, int]


def run_key(record: dict[str, Any]) -> RunKey:
    """The key of a run, of a run's row or of a verdict."""
    return record["model_id"], record["task_id"], record["run_index"]


def unit_value(verdict: dict[str, Any]) -> float:
    """The unit value of a verdict: numeric before integer, integer before category."""
    if verdict.get("numeric_score") is not None:
        return float(verdict["numeric_score"])
    if verdict.get("int_score") is not None:
        return _INT_UNITS[verdict["int_score"]]
    return _CATEGORY_UNITS[verdict["score"]]


def mean(values: list[float]) -> float | None:
    """The mean of values, whatever their order; None of no values."""
    return math.fsum(values) / len(values) if values else None


class Verdicts:
    """All verdicts of a scoring."""

    def __init__(self, verdicts: list[dict[str, Any]]) -> None:
        """Sort the verdicts into dimensions and claims."""
        self._dimensions: dict[tuple[RunKey, str], list[dict[str, Any]]] = {}
        self._claims: dict[tuple[RunKey, str], list[dict[str, Any]]] = {}
        for verdict in verdicts:
            if verdict.get("dimension") is not None:
                key = run_key(verdict), verdict["dimension"]
                self._dimensions.setdefault(key, []).append(verdict)
            else:
                key = run_key(verdict), verdict["claim_id"]
                self._claims.setdefault(key, []).append(verdict)

    def dimension(self, key: RunKey, dimension: str) -> float | None:
        """The mean unit value of a run's verdicts on a dimension; None without any."""
        return mean([unit_value(verdict) for verdict in self._dimensions.get((key, dimension), [])])

    def claim(self, key: RunKey, claim_id: str) -> tuple[bool | None, bool]:
        """Whether the statement is made (None without a verdict), and whether a person says so."""
        given = self._claims.get((key, claim_id), [])
        persons = [verdict for verdict in given if verdict["judge_id"].startswith("human:")]
        value = mean([unit_value(verdict) for verdict in persons or given])
        return (None if value is None else value > 0.5), bool(persons)
