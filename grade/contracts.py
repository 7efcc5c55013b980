"""Hold a frame to its table: names, types and order, and the rules of all columns in one look.

Each rule is one expression, made once from the table's columns. A sound frame is passed by looking
at all of them together, which costs about a millisecond and the data; one that is not is handed to
pandera with the same rules, which says what is wrong in which column.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from grade.errors import ContractError
from grade.table import Table

if TYPE_CHECKING:
    import pandera.polars as pa

_NOT_NULL: Final = "not_nullable"


class Rule(NamedTuple):
    """What every value of a column must be.

    Attributes:
        column: The column.
        name: The rule, for messages.
        holds: True for a value that keeps it; null, which other rules do not look at, also passes.
    """

    column: str
    name: str
    holds: pl.Expr


def hold(frame: pl.DataFrame, table: Table, *, where: str) -> pl.DataFrame:
    """Hold a collected frame to its table and return it unchanged; see `grade.schemas.check`.

    Raises:
        ContractError: The frame breaks the contract; the message names the column and rule.
    """
    if frame.schema != _schema(table) or not frame.select(_sound(table)).item():
        raise ContractError(f"{table.name} after {where or 'a stage'}: {_fault(frame, table)}")
    return frame


@cache
def rules(table: Table) -> tuple[Rule, ...]:
    """Return the rules of a table's columns."""
    return tuple(rule for name in table.columns for rule in _column_rules(table, name))


@cache
def _schema(table: Table) -> pl.Schema:
    return pl.Schema(table.dtypes)


@cache
def _sound(table: Table) -> pl.Expr:
    """Whether a frame of the table's columns keeps every rule, and is sorted by a unique key."""
    key = is_strictly_ascending(table.key) if table.is_unique else pl.lit(value=True)
    return pl.all_horizontal(*(rule.holds.all() for rule in rules(table)), key)


def _column_rules(table: Table, name: str) -> Iterator[Rule]:
    column, data = table.column(name), pl.col(name)
    if name not in (table.nullable_key if name in table.key else set(table.values) - table.required):
        yield Rule(name, _NOT_NULL, data.is_not_null())
    if column.dtype == pl.Float64:
        yield Rule(name, "finite", data.is_finite())
    if column.bounds is not None:
        low, high = column.bounds
        yield Rule(name, f"in_range({low}, {high})", data.is_between(low, high))
    if column.values is not None:
        yield Rule(name, f"isin({list(column.values)})", data.is_in(column.values))


def is_strictly_ascending(key: tuple[str, ...]) -> pl.Expr:
    """Whether each row's key is greater than the one before, nulls first: unique and sorted at once."""
    rises = pl.lit(value=False)
    for name in reversed(key):
        here, before = pl.col(name), pl.col(name).shift(1)
        greater = (here > before).fill_null(here.is_not_null() & before.is_null())
        rises = greater | (here.eq_missing(before) & rises)
    return rises.slice(1).all()


def _fault(frame: pl.DataFrame, table: Table) -> str:
    from pandera.errors import SchemaError, SchemaErrors

    try:
        _pandera_schema(table).validate(frame, lazy=True)
    except (SchemaError, SchemaErrors) as fault:
        return str(fault)
    is_doubled = frame.select(table.key).is_duplicated().any()
    return f"key {table.key} is {'not unique' if is_doubled else 'not sorted'}"


def _pandera_schema(table: Table) -> pa.DataFrameSchema:
    import pandera.polars as pa

    columns = {name: _pandera_column(table, name) for name in table.columns}
    return pa.DataFrameSchema(columns, name=table.name, strict=True, ordered=True)


def _pandera_column(table: Table, name: str) -> pa.Column:
    import pandera.polars as pa

    own = {rule.name: rule.holds for rule in rules(table) if rule.column == name}
    is_nullable = own.pop(_NOT_NULL, None) is None
    checks = [_pandera_check(rule, holds) for rule, holds in own.items()]
    return pa.Column(table.column(name).dtype, checks=checks, nullable=is_nullable)


def _pandera_check(name: str, holds: pl.Expr) -> pa.Check:
    import pandera.polars as pa

    return pa.Check(lambda data: data.lazyframe.select(holds), name=name)
