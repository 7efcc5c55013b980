"""What answers are searched for, as tables: the words behind fact_id and claim_id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import polars as pl

from grade.desk_schemas import GOLD_CLAIMS, GOLD_FACTS
from grade.gold import slack
from grade.models import Task
from grade.schemas import check
from grade.table import Table


class GoldTables(NamedTuple):
    """The gold content of a catalogue.

    Attributes:
        facts: GOLD_FACTS.
        claims: GOLD_CLAIMS.
    """

    facts: pl.DataFrame
    claims: pl.DataFrame


def gold_tables(tasks: Iterable[Task]) -> GoldTables:
    """Return the facts and claims of a catalogue for people who read the result."""
    listed = list(tasks)
    return GoldTables(
        _frame(GOLD_FACTS, [row for task in listed for row in _facts(task)]),
        _frame(GOLD_CLAIMS, [row for task in listed for row in _claims(task)]),
    )


def _facts(task: Task) -> Iterator[tuple[Any, ...]]:
    for fact in task.gold_facts:
        value = None if fact.numeric_value is None else float(fact.numeric_value)
        yield task.task_id, fact.fact_id, fact.claim, value, slack(fact), fact.unit, fact.string_value


def _claims(task: Task) -> Iterator[tuple[Any, ...]]:
    for place, insight in enumerate(task.gold_insights):
        yield task.task_id, f"insight:{place}", "insight", insight.text, insight.calibration
    for kind, texts in (("limitation", task.required_limitations), ("forbidden", task.forbidden_claims)):
        for place, text in enumerate(texts):
            yield task.task_id, f"{kind}:{place}", kind, text, False


def _frame(table: Table, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=table.dtypes, orient="row").sort(table.key)
    return check(frame, table, where="gold_tables")
