"""Decide what goes wrong in one run.

A run is empty, vague or full. In a full run, two facts may have their values swapped; each other
number may be left out or wrong; each insight may be negated or paraphrased, each limitation missing
or paraphrased; each forbidden claim may be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pipelines.simulate.dice import Dice
from pipelines.simulate.gold import Fact, SimTask
from pipelines.simulate.models import SimulatedModel

_FACTORS: Final = (0.88, 1.13, 0.81, 1.21, 0.74, 1.34, 0.67, 1.45)


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """One opportunity for an error, taken or not.

    Args:
        error: The error.
        target: What it concerns: fact:FACT_ID, insight:N, limitation:N, forbidden:N, or the run.
        happened: Whether it was planted.
    """

    error: str
    target: str
    happened: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlan:
    """What goes wrong in one run.

    Args:
        values: The number that the run states for each numeric fact; None where it states none.
        events: Every opportunity for an error.
    """

    values: dict[str, float | None] = field(default_factory=dict)
    events: tuple[Planted, ...] = ()

    def happened(self, error: str, target: str = "run") -> bool:
        """Return whether an error was planted at a target."""
        return any(e.happened and e.error == error and e.target == target for e in self.events)

    @property
    def is_empty(self) -> bool:
        """Whether the run says nothing at all."""
        return self.happened("empty_answer")

    @property
    def is_vague(self) -> bool:
        """Whether the run says nothing in particular."""
        return self.happened("vague_answer")


def plan_run(task: SimTask, model: SimulatedModel, dice: Dice) -> RunPlan:
    """Return what goes wrong in one run of a model on a task."""
    planner = _Planner(task, model, dice)
    if planner.decide("empty_answer") or planner.decide("vague_answer"):
        return RunPlan(events=tuple(planner.events))
    values = planner.state_values()
    planner.decide_statements()
    planner.decide_manners()
    return RunPlan(values=values, events=tuple(planner.events))


class _Planner:
    def __init__(self, task: SimTask, model: SimulatedModel, dice: Dice) -> None:
        self.task, self.model, self.dice = task, model, dice
        self.events: list[Planted] = []

    def decide(self, error: str, target: str = "run") -> bool:
        happened = self.dice.happens(f"{error} {target}", self.model.rates.get(error, 0.0))
        self.events.append(Planted(error=error, target=target, happened=happened))
        return happened

    def state_values(self) -> dict[str, float | None]:
        values: dict[str, float | None] = self._swap()
        for fact in self.task.facts:
            if fact.value is None or fact.fact_id in values:
                continue
            target = f"fact:{fact.fact_id}"
            if self.decide("omitted_fact", target):
                values[fact.fact_id] = None
            elif self.decide("wrong_number", target):
                values[fact.fact_id] = self._wrong(fact)
            else:
                values[fact.fact_id] = fact.value
        return values

    def decide_statements(self) -> None:
        for kind, first, statements in (
            ("insight", "negated_insight", self.task.insights),
            ("limitation", "missing_caveat", self.task.limitations),
        ):
            for number, statement in enumerate(statements):
                target = f"{kind}:{number}"
                if not self.decide(first, target) and statement.paraphrase:
                    self.decide("paraphrase", target)

    def decide_manners(self) -> None:
        made = [self.decide("forbidden_claim", f"forbidden:{n}") for n, _ in enumerate(self.task.forbidden)]
        if not any(made):
            self.decide("refuted_claim")
        for error in ("shuffled_findings", "fabricated_citation", "truncated"):
            self.decide(error)

    def _swap(self) -> dict[str, float | None]:
        if not self.task.swappable or not self.decide("swapped_entities"):
            return {}
        one, other = self.dice.choose("pair", self.task.swappable)
        return {one.fact_id: other.value, other.fact_id: one.value}

    def _wrong(self, fact: Fact) -> float:
        """Return a number that no fact of the task would take for its own."""
        return next(value for value in self._wrong_numbers(fact) if self._is_clear(value))

    def _wrong_numbers(self, fact: Fact) -> Iterator[float]:
        value = fact.value or 0.0
        is_count = float(value).is_integer() and fact.unit == "count"
        for factor in self.dice.shuffle(f"wrong {fact.fact_id}", _FACTORS):
            yield round(value * factor) if is_count else round(value * factor, 4)
        for step in range(1, 1000):
            yield round(value) + step if is_count else round(value + 0.013 * step, 4)

    def _is_clear(self, value: float) -> bool:
        golds = [fact for fact in self.task.facts if fact.value is not None]
        margins = [
            abs(value * scale - (fact.value or 0.0)) > 3 * fact.slack + 0.006 * abs(fact.value or 0.0)
            for fact in golds
            for scale in (0.01, 1, 100)
        ]
        return all(margins) and value >= 0
