"""A task as the simulated models see it: what they may state, and what could go wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pipelines.packs.authoring import read_toml
from pipelines.packs.reading import find_packs, read_pack
from pipelines.packs.template import fill
from pipelines.simulate.restate import entities, restate

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A gold fact.

    Args:
        fact_id: Identifier within the task.
        claim: The fact in words.
        value: Its number, None for a fact in words.
        slack: Largest distance from the number that still counts.
        unit: Unit of the number.
        metric: Name under which models report it.
        columns: Columns it comes from, by file.
    """

    fact_id: str
    claim: str
    value: float | None
    slack: float
    unit: str | None
    metric: str
    columns: dict[str, list[str]]

    @property
    def entity(self) -> tuple[str, str] | None:
        """The one entity that the claim names, as (kind, name); None for none or several."""
        found = entities(self.claim)
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """An insight or limitation, with another wording where there is one.

    Args:
        text: The gold text.
        paraphrase: The same in other words, which no string match finds.
    """

    text: str
    paraphrase: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SimTask:
    """A task.

    Args:
        task_id: Identifier.
        pack_id: Its pack.
        track: Its track.
        title: Its title.
        facts: Gold facts.
        insights: Gold insights.
        limitations: Required limitations.
        forbidden: Forbidden claims.
        swappable: Pairs of facts of one kind of entity, whose values can be swapped.
    """

    task_id: str
    pack_id: str
    track: int
    title: str
    facts: tuple[Fact, ...]
    insights: tuple[Statement, ...]
    limitations: tuple[Statement, ...]
    forbidden: tuple[str, ...]
    swappable: tuple[tuple[Fact, Fact], ...]


def load_tasks(packs: Path, wording: Path) -> list[SimTask]:
    """Return the tasks of all packs below a folder, sorted by task_id.

    Args:
        packs: Folder with built packs.
        wording: Folder with the other wordings of insights and limitations, as TOML.
    """
    words: Json = {}
    for path in sorted(wording.glob("*.toml")):
        words |= read_toml(path)
    tasks = [task for folder in find_packs(packs) for task in _pack_tasks(folder, words)]
    return sorted(tasks, key=lambda task: task.task_id)


def _pack_tasks(folder: Path, words: Json) -> list[SimTask]:
    pack = read_pack(folder)
    values = {name: entry["value"] for name, entry in pack.ground_truth.items()}
    return [_read_task(task, pack.pack_id, values, words) for task in pack.tasks]


def _read_task(task: Json, pack_id: str, values: Json, words: Json) -> SimTask:
    facts = tuple(map(_read_fact, task["gold_facts"]))
    own = words.get(task["task_id"], {})
    shared = words.get("shared", {})
    insights = [text if isinstance(text, str) else text["text"] for text in task["gold_insights"]]
    return SimTask(
        task_id=task["task_id"],
        pack_id=pack_id,
        track=task["track"],
        title=task["title"],
        facts=facts,
        insights=_statements(insights, own.get("insights", []), {}, values),
        limitations=_statements(task["required_limitations"], own.get("limitations", []), shared, values),
        forbidden=tuple(task["forbidden_claims"]),
        swappable=tuple(pair for pair in combinations(facts, 2) if _can_swap(*pair)),
    )


def _read_fact(fact: Json) -> Fact:
    value, tolerance = fact["numeric_value"], fact["tolerance"] or 0
    stated = value is not None and restate(fact["claim"], value, value) is not None
    if isinstance(tolerance, str):
        tolerance = float(tolerance.removesuffix("%")) / 100 * abs(value or 1)
    return Fact(
        fact_id=fact["fact_id"],
        claim=fact["claim"],
        value=value if stated else None,
        slack=tolerance,
        unit=fact.get("unit"),
        metric=fact.get("ground_truth") or fact["fact_id"].lower(),
        columns=fact.get("source_columns") or {name: [] for name in fact["source_files"]},
    )


def _statements(
    texts: list[str], own: list[str], shared: dict[str, str], values: Json
) -> tuple[Statement, ...]:
    """Pair texts with other wordings: shared ones by their text, the task's own in their order."""
    left = iter(own)
    found = [shared[text] if text in shared else next(left, None) for text in texts]
    return tuple(
        Statement(text=text, paraphrase=fill(other, values, where=text) if other else None)
        for text, other in zip(texts, found, strict=True)
    )


def _can_swap(one: Fact, other: Fact) -> bool:
    if one.value is None or other.value is None or one.entity is None or other.entity is None:
        return False
    same_kind = one.entity[0] == other.entity[0] and one.unit == other.unit
    apart = abs(one.value - other.value) > 2 * max(one.slack, other.slack)
    return same_kind and one.entity != other.entity and apart
