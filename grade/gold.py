"""What the gold content alone decides, worked out once per catalogue.

A fact is told apart by how it is looked for (its *mode*), and becomes one or several *sought
values*, each with the entities that it belongs to. Claims and facts keep their texts, which are
read together with the answers of each batch so that both speak in the same tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import polars as pl

from grade.clues import find_clues
from grade.dimensions import DIMENSIONS
from grade.models import GoldFact, Task
from grade.schemas import CLAIMS, FACTS, GOLD_TEXTS, SOUGHT, SOUGHT_ENTITIES, TASKS, Table, check
from grade.text.cleaning import clean, lines, sentences
from grade.text.lexicon import RATE_WORDS
from grade.text.quantities import find_quantities
from grade.text.tokens import tokenise
from grade.text.words import holds_word

CLAIM_KINDS: Final = ("insight", "limitation", "forbidden")
"""Kinds of claims, in the order in which they are numbered."""

_RELATIVE: Final = 1e-9
_ROUNDED_PERCENT: Final = 0.0005
_WHOLE: Final = 100


class Gold(NamedTuple):
    """The catalogue as frames.

    Attributes:
        tasks: A row per task, with its number.
        facts: A row per gold fact.
        sought: A row per value that a fact wants stated in text.
        sought_entities: A row per entity that such a value may belong to.
        claims: A row per claim.
        texts: A row per gold text; `text_no` is shared with facts and claims.
        clues: A row per task and clue (see `grade.clues`).
    """

    tasks: pl.DataFrame
    facts: pl.DataFrame
    sought: pl.DataFrame
    sought_entities: pl.DataFrame
    claims: pl.DataFrame
    texts: pl.DataFrame
    clues: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Quantity:
    clause: int
    value: float
    is_percent: bool
    is_difference: bool


@dataclass(frozen=True, slots=True)
class _Entity:
    clause: int
    kind: str
    entity: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a gold text holds."""

    has_cue: bool
    is_rate: bool
    quantities: tuple[_Quantity, ...]
    entities: tuple[_Entity, ...]


def build_gold(tasks: Iterable[Task]) -> Gold:
    """Work out what a catalogue of valid tasks looks for."""
    ordered = sorted(tasks, key=lambda task: task.task_id)
    facts = [(task_no, fact) for task_no, task in enumerate(ordered) for fact in task.gold_facts]
    claims = [(task_no, *claim) for task_no, task in enumerate(ordered) for claim in _claims(task)]
    texts = [fact.claim for _, fact in facts] + [claim[2] for claim in claims]
    strings = [fact.string_value or "" for _, fact in facts]
    gold_texts = _frame(GOLD_TEXTS, enumerate([*texts, *strings])).with_columns(clean(pl.col("text")))
    readings = _read(gold_texts)
    sought, entities = _sought([fact for _, fact in facts], readings)
    fact_frame = check(_fact_frame(facts, ordered, readings, len(texts)), FACTS, where="build_gold")
    claim_frame = check(_claim_frame(claims, ordered, len(facts)), CLAIMS, where="build_gold")
    return Gold(
        _task_frame(ordered),
        fact_frame,
        check(sought, SOUGHT, where="build_gold"),
        check(entities, SOUGHT_ENTITIES, where="build_gold"),
        claim_frame,
        check(gold_texts, GOLD_TEXTS, where="build_gold"),
        find_clues(fact_frame, claim_frame, gold_texts),
    )


def slack(fact: GoldFact) -> float | None:
    """How far a value may lie from gold, absolute; null for a fact without a number.

    A percentage tolerance is taken of |gold|, or of 1 where gold is 0.
    """
    if fact.numeric_value is None:
        return None
    if isinstance(fact.tolerance, str):
        return float(fact.tolerance.strip().removesuffix("%")) / 100 * (abs(fact.numeric_value) or 1.0)
    return float(fact.tolerance or 0.0)


def mode(fact: GoldFact, *, has_quantities: bool) -> str:
    """How a fact is looked for: by value, string, quantities or words."""
    if fact.numeric_value is not None:
        return "value"
    if fact.string_value is not None:
        return "string"
    return "quantities" if has_quantities else "words"


def _claims(task: Task) -> Iterator[tuple[str, str, int, bool]]:
    yield from (("insight", item.text, n, item.calibration) for n, item in enumerate(task.gold_insights))
    yield from (("limitation", text, n, False) for n, text in enumerate(task.required_limitations))
    yield from (("forbidden", text, n, False) for n, text in enumerate(task.forbidden_claims))


def _frame(table: Table, rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=table.dtypes, orient="row")


def _read(texts: pl.DataFrame) -> list[_Reading]:
    cut = texts.select("text_no", text=lines(pl.col("text"))).explode("text")
    cut = cut.with_columns(text=sentences(pl.col("text"))).explode("text").with_row_index("sentence_id")
    lexed = tokenise(cut.select("sentence_id", "text"))
    owners = cut["text_no"].to_list()
    words = lexed.tokens.join(lexed.vocabulary, on="token_id", maintain_order="left")
    cues = {owners[n] for n in words.filter("is_cue")["sentence_id"]}
    rates = {owners[n] for n in words.filter(holds_word(pl.col("token"), RATE_WORDS))["sentence_id"]}
    entities: dict[int, list[_Entity]] = defaultdict(list)
    for n, *values in words.drop_nulls("entity").select("sentence_id", "clause", "kind", "entity").rows():
        entities[owners[n]].append(_Entity(*values))
    quantities: dict[int, list[_Quantity]] = defaultdict(list)
    told = ("sentence_id", "clause", "value", "is_percent", "is_difference")
    for n, *values in find_quantities(lexed).select(told).rows():
        quantities[owners[n]].append(_Quantity(*values))
    return [
        _Reading(n in cues, n in rates or "%" in text, tuple(quantities[n]), tuple(entities[n]))
        for n, text in texts.rows()
    ]


def _is_rate(fact: GoldFact, reading: _Reading) -> bool:
    return fact.unit in {"fraction", "percent"} or reading.is_rate


def _sought(facts: Sequence[GoldFact], readings: Sequence[_Reading]) -> tuple[pl.DataFrame, pl.DataFrame]:
    rows: list[tuple[Any, ...]] = []
    entities: list[tuple[int, str, str]] = []
    for fact_no, (fact, reading) in enumerate(zip(facts, readings, strict=False)):
        for part, (values, own) in enumerate(_wanted(fact, reading)):
            entities += [(len(rows), kind, name) for kind, names in own.items() for name in names]
            rows.append((len(rows), fact_no, part, *values))
    return _frame(SOUGHT, rows), _frame(SOUGHT_ENTITIES, sorted(entities))


def _wanted(
    fact: GoldFact, reading: _Reading
) -> Iterator[tuple[tuple[float, float, bool, bool], dict[str, set[str]]]]:
    """Each value wanted: (value, slack, may be divided by 100, may be multiplied), its entities."""
    how = mode(fact, has_quantities=bool(reading.quantities))
    if how == "value":
        gold = float(fact.numeric_value or 0.0)
        rate = _is_rate(fact, reading)
        allowed = slack(fact) or 0.0
        scaled = (rate and abs(gold) <= 1, rate and 1 < abs(gold) <= _WHOLE)
        yield (gold, allowed, *scaled), _fact_entities(reading, gold, allowed)
    elif how == "quantities":
        for quantity in reading.quantities:
            size = abs(quantity.value)
            divides = reading.is_rate and size <= 1 and not quantity.is_percent
            multiplies = reading.is_rate and 1 < size <= _WHOLE and quantity.is_percent
            yield (quantity.value, 0.0, divides, multiplies), _by_kind(reading.entities, {quantity.clause})


def _fact_entities(reading: _Reading, gold: float, allowed: float) -> dict[str, set[str]]:
    """The entities that a value fact belongs to, for each kind that its claim names."""
    equal = [quantity for quantity in reading.quantities if _equals(quantity, gold, allowed)]
    every = _by_kind(reading.entities, None)
    if not equal or any(quantity.is_difference for quantity in equal):
        return every
    return every | _by_kind(reading.entities, {quantity.clause for quantity in equal})


def _equals(quantity: _Quantity, gold: float, allowed: float) -> bool:
    edge = _RELATIVE * max(1.0, abs(gold))
    if abs(quantity.value - gold) <= allowed + edge:
        return True
    rounded = max(allowed, _ROUNDED_PERCENT)
    return quantity.is_percent and abs(quantity.value / 100 - gold) <= rounded


def _by_kind(entities: Iterable[_Entity], clauses: set[int] | None) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for entity in entities:
        if clauses is None or entity.clause in clauses:
            found[entity.kind].add(entity.entity)
    return dict(found)


def _task_frame(tasks: Sequence[Task]) -> pl.DataFrame:
    rows = [
        (
            task.task_id,
            task.pack_id,
            task.track,
            task.title,
            task.task_type,
            task.user_prompt,
            list(task.allowed_inputs),
            *(task.rubric[key].weight for key in DIMENSIONS),
            *(task.rubric[key].guidance for key in DIMENSIONS),
        )
        for task in tasks
    ]
    return check(_frame(TASKS, rows), TASKS, where="build_gold").with_row_index("task_no")


def _fact_frame(
    facts: Sequence[tuple[int, GoldFact]], tasks: Sequence[Task], readings: Sequence[_Reading], n_texts: int
) -> pl.DataFrame:
    rows = [
        (
            fact_no,
            task_no,
            tasks[task_no].task_id,
            fact.fact_id,
            mode(fact, has_quantities=bool(reading.quantities)),
            fact_no,
            n_texts + fact_no,
            fact.numeric_value,
            slack(fact),
            fact.string_value,
            list(fact.metric_keys),
            reading.has_cue,
        )
        for fact_no, ((task_no, fact), reading) in enumerate(zip(facts, readings, strict=False))
    ]
    return _frame(FACTS, rows)


def _claim_frame(
    claims: Sequence[tuple[int, str, str, int, bool]], tasks: Sequence[Task], first_text: int
) -> pl.DataFrame:
    rows = [
        (n, task_no, tasks[task_no].task_id, f"{kind}:{index}", kind, is_calibration, first_text + n)
        for n, (task_no, kind, _, index, is_calibration) in enumerate(claims)
    ]
    return _frame(CLAIMS, rows)


def claim_keys(gold: Gold) -> pl.DataFrame:
    """Return task_id and claim_id of everything that a claim verdict may judge, facts included."""
    facts = gold.facts.select("task_id", claim_id=pl.concat_str(pl.lit("fact:"), "fact_id"))
    return pl.concat([gold.claims.select("task_id", "claim_id"), facts])
