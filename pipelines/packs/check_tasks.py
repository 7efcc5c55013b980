"""Check what a task says about itself: its fields, its rubric, the files and columns it refers to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from grade.dimensions import DIMENSIONS, TRACKS
from pipelines.packs.problems import Problem
from pipelines.packs.reading import PackFiles, normal_pack_id, objects

Json = dict[str, Any]

_FIELDS: Final[dict[str, type | tuple[type, ...]]] = {
    "task_id": str,
    "track": int,
    "title": str,
    "user_prompt": str,
    "task_type": str,
    "allowed_inputs": list,
    "gold_facts": list,
    "gold_insights": list,
    "required_limitations": list,
    "forbidden_claims": list,
    "rubric": dict,
}
_UNITS: Final = ("fraction", "percent", "points", "count", "score")
_FILE_NAME: Final = re.compile(r"\b[\w-]+\.(?:csv|parquet|json)\b")
_PERCENT: Final = re.compile(r"\d+(\.\d+)?%")
_SLACK: Final = 1e-6


def check_task(task: Json, pack: PackFiles) -> Iterator[Problem]:
    """Yield what is wrong with one task, apart from its values."""
    wrong = [name for name, kind in _FIELDS.items() if not _is(task.get(name), kind)]
    for name in wrong:
        kind = _FIELDS[name]
        expected = kind.__name__ if isinstance(kind, type) else ""
        yield Problem(
            field=name,
            problem=f"is missing, empty or no {expected}",
            hint=f"write {name}, see the task template",
        )
    if wrong:
        return
    if task["track"] not in TRACKS:
        yield Problem(field="track", problem=f"is {task['track']}", hint="choose a track from 1 to 5")
    if "pack_id" in task and normal_pack_id(str(task["pack_id"])) != pack.pack_id:
        yield Problem(
            field="pack_id", problem=f"is {task['pack_id']}", hint=f"write {pack.pack_id}, or leave it out"
        )
    yield from _check_rubric(task["rubric"])
    yield from _check_inputs(task, pack)
    yield from _check_facts(task, pack)
    for name in ("gold_insights", "required_limitations", "forbidden_claims"):
        yield from _check_texts(name, task[name])


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    return not isinstance(value, str) or bool(value.strip())


def _number(value: object) -> float | None:
    """Return a finite number as it is, anything else as None."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    return None


def _check_rubric(rubric: Json) -> Iterator[Problem]:
    for name in sorted(rubric.keys() ^ set(DIMENSIONS)):
        state = "is missing" if name in DIMENSIONS else "is no dimension"
        yield Problem(
            field=f"rubric.{name}",
            problem=state,
            hint="weigh exactly the dimensions " + ", ".join(DIMENSIONS),
        )
    weights: list[float] = []
    for name, entry in rubric.items():
        weight = _number(entry.get("weight")) if isinstance(entry, dict) else None
        if weight is None or weight < 0:
            yield Problem(
                field=f"rubric.{name}.weight",
                problem="is no weight",
                hint="write a finite number of 0 or more",
            )
            return
        weights.append(weight)
    total = math.fsum(weights)
    if abs(total - 1) > _SLACK:
        yield Problem(
            field="rubric",
            problem=f"the weights sum to {total!r}",
            hint=f"change them by {1 - total:+.6g} in total, so that they sum to 1",
        )


def _check_inputs(task: Json, pack: PackFiles) -> Iterator[Problem]:
    here = {path.name for path in pack.folder.iterdir() if path.is_file()}
    for name in task["allowed_inputs"]:
        if name not in here:
            yield Problem(
                field="allowed_inputs",
                problem=f"{name} is not in the pack",
                hint="add the file or mend its name",
            )
    for name in sorted(set(_FILE_NAME.findall(task["user_prompt"])) - set(map(str, task["allowed_inputs"]))):
        yield Problem(
            field="user_prompt",
            problem=f"names {name}, which the task does not allow",
            hint="add it to allowed_inputs, or leave it out of the prompt",
        )


def _check_facts(task: Json, pack: PackFiles) -> Iterator[Problem]:
    facts = objects(task["gold_facts"])
    if len(facts) < len(task["gold_facts"]):
        yield Problem(
            field="gold_facts", problem="holds something else than objects", hint="one object per fact"
        )
    used = Counter(str(fact.get("fact_id")) for fact in facts)
    for name, times in used.items():
        if times > 1:
            yield Problem(
                field=f"gold_facts.{name}",
                problem=f"{times} facts have this id",
                hint="number the facts anew",
            )
    for number, fact in enumerate(facts):
        where = f"gold_facts.{fact.get('fact_id') or number}"
        for name in ("fact_id", "claim"):
            if not _is(fact.get(name), str):
                yield Problem(field=f"{where}.{name}", problem="is missing or empty", hint=f"write a {name}")
        yield from _check_value(fact, where)
        yield from _check_sources(fact, where, task, pack)


def _check_value(fact: Json, where: str) -> Iterator[Problem]:
    value, tolerance, unit = fact.get("numeric_value"), fact.get("tolerance"), fact.get("unit")
    if value is not None and _number(value) is None:
        yield Problem(
            field=f"{where}.numeric_value", problem=f"is {value!r}", hint="write a finite number or null"
        )
    slack = _number(tolerance)
    absolute = slack is not None and slack >= 0
    relative = isinstance(tolerance, str) and _PERCENT.fullmatch(tolerance) is not None
    if tolerance is not None and not absolute and not relative:
        yield Problem(
            field=f"{where}.tolerance", problem=f"is {tolerance!r}", hint='write a number from 0 up, or "N%"'
        )
    if unit is not None and unit not in _UNITS:
        yield Problem(
            field=f"{where}.unit", problem=f"is {unit!r}", hint="choose one of " + ", ".join(_UNITS)
        )


def _check_sources(fact: Json, where: str, task: Json, pack: PackFiles) -> Iterator[Problem]:
    for name in fact.get("source_files") or []:
        if name not in task["allowed_inputs"]:
            yield Problem(
                field=f"{where}.source_files",
                problem=f"{name} is not among the task's allowed_inputs",
                hint="allow the file, or name another source",
            )
    tables = {file: pack.tables[name] for name, file in pack.table_files.items()}
    columns_of = fact.get("source_columns")
    for name, columns in columns_of.items() if isinstance(columns_of, dict) else ():
        for column in columns:
            if name not in tables or column not in tables[name].columns:
                yield Problem(
                    field=f"{where}.source_columns",
                    problem=f"{name} has no column {column}",
                    hint="mend the column's name" if name in tables else "mend the file's name",
                )


def _check_texts(name: str, entries: list[Any]) -> Iterator[Problem]:
    texts = [entry.get("text") if isinstance(entry, dict) else entry for entry in entries]
    for number, text in enumerate(texts):
        if not _is(text, str):
            yield Problem(field=f"{name}.{number}", problem="is empty or no text", hint="write a sentence")
        elif text in texts[:number]:
            yield Problem(
                field=f"{name}.{number}", problem="repeats an earlier one", hint="delete one of them"
            )
