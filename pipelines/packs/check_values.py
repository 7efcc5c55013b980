"""Check a pack's values against its data: gold facts, ground truth, premises and invariants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pipelines.packs import files
from pipelines.packs.authoring import DECIMALS
from pipelines.packs.invariants import load_invariant
from pipelines.packs.problems import Problem
from pipelines.packs.reading import PackFiles, objects
from pipelines.packs.sandbox import Sandbox, Scalar, SqlError

Json = dict[str, Any]

_ROUNDING: Final = 0.5 * 10**-DECIMALS


def check_values(pack: PackFiles) -> Iterator[Problem]:
    """Yield a problem for each value, premise or invariant that the pack's data do not bear out."""
    try:
        sandbox = Sandbox(pack.tables, pack.measures)
    except SqlError as error:
        yield Problem(field=files.MEASURES, problem=f"{error.what}: {error.got}", hint=error.hint)
        return
    with sandbox:
        for name, entry in pack.ground_truth.items():
            if isinstance(entry, dict) and "sql" in entry:
                yield from _check(f"{files.GROUND_TRUTH}: {name}", entry["sql"], entry.get("value"), sandbox)
        for task in pack.tasks:
            for problem in _check_task(task, sandbox):
                yield problem.at(task_id=str(task.get("task_id")))
        yield from _check_invariants(pack, sandbox)


def _check_task(task: Json, sandbox: Sandbox) -> Iterator[Problem]:
    for fact in objects(task.get("gold_facts")):
        yield from _check_fact(fact, sandbox)
    for number, premise in enumerate(objects(task.get("premises"))):
        for problem in _check(f"premises.{number}", premise.get("sql"), wanted=True, sandbox=sandbox):
            says = f"the data do not bear out: {premise.get('says')} ({problem.problem})"
            yield replace(problem, problem=says, hint="rewrite the texts that rest on it, or use other data")


def _check_fact(fact: Json, sandbox: Sandbox) -> Iterator[Problem]:
    where = f"gold_facts.{fact.get('fact_id')}"
    value = fact.get("numeric_value")
    if value is None:
        value = fact.get("string_value")
    if value is not None and not fact.get("sql") and fact.get("numeric_value") is not None:
        yield Problem(
            field=f"{where}.sql",
            problem=f"is missing, so nothing recomputes {value}",
            hint="write a SELECT over the pack's tables and measures that gives the value",
        )
    elif value is not None and fact.get("sql"):
        parameters = fact.get("sql_parameters")
        given = parameters if isinstance(parameters, dict) else None
        yield from _check(f"{where}.sql", fact["sql"], value, sandbox, given)


def _check(
    where: str, sql: object, wanted: Scalar, sandbox: Sandbox, parameters: Json | None = None
) -> Iterator[Problem]:
    try:
        found = sandbox.scalar(str(sql), parameters)
    except SqlError as error:
        yield Problem(field=where, problem=error.what, hint=error.hint or error.expected)
        return
    if not _agree(found, wanted):
        yield Problem(
            field=where,
            problem=f"gives {found}, the pack says {wanted}",
            hint="rebuild the pack, or write what the SQL gives, to six decimals; tolerance is for answers",
        )


def _agree(found: Scalar, wanted: Scalar) -> bool:
    if _is_number(found) and _is_number(wanted):
        return math.isclose(float(found or 0), float(wanted or 0), rel_tol=1e-12, abs_tol=_ROUNDING * 1.001)
    return type(found) is type(wanted) and found == wanted


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_invariants(pack: PackFiles, sandbox: Sandbox) -> Iterator[Problem]:
    names = (pack.manifest or {}).get("checks", [])
    for name in names if isinstance(names, list) else []:
        sql = load_invariant(str(name))
        if sql is None:
            yield Problem(
                field=f"{files.MANIFEST}: checks",
                problem=f"no invariant is named {name}",
                hint="mend the name",
            )
            continue
        try:
            broken = sandbox.rows(sql)
        except SqlError as error:
            yield Problem(field=f"invariant {name}", problem=error.what, hint=error.hint)
            continue
        if broken:
            yield Problem(
                field=f"invariant {name}",
                problem=f"{len(broken)} rows break it, the first: {broken[0]}",
                hint="mend the data, then rebuild the manifest",
            )
