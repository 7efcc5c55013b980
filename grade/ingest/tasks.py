"""Stage ingest, tasks: task files -> tasks. A broken or invalid task stops everything, with its place.

Gold content is written by people for this purpose, so that a fault in it is never skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from grade.dimensions import DIMENSIONS
from grade.errors import InputError
from grade.hints import nearest
from grade.ingest.batch import Records
from grade.ingest.decoding import explain
from grade.ingest.packs import pack_id_of
from grade.ingest.records import cut_records
from grade.models import GoldFact, GoldInsight, RubricEntry, Task

_MARK: Final = b'"gold_facts"'
_FOREIGN_MARKS: Final = tuple(_MARK.decode().encode(name) for name in ("utf-16-le", "utf-16-be", "utf-32-le"))
_PERCENT: Final = re.compile(r"\s*[0-9]+(\.[0-9]+)?\s*%\s*")
_SUM_SLACK: Final = 1e-6
_JSON: Final = msgspec.json.Decoder()

Name = Annotated[str, msgspec.Meta(pattern=r"\S")]


class TaskFile(NamedTuple):
    """A file that may hold tasks.

    Attributes:
        name: Its name, for messages.
        data: Its bytes.
        pack_id: The pack of its tasks, where they do not say it themselves.
    """

    name: str
    data: bytes
    pack_id: str


class _TaskRecord(msgspec.Struct):
    task_id: Name
    track: Annotated[int, msgspec.Meta(ge=1, le=5)]
    title: str
    user_prompt: str
    task_type: str
    allowed_inputs: tuple[str, ...]
    gold_facts: tuple[GoldFact, ...]
    gold_insights: tuple[str | GoldInsight, ...]
    required_limitations: tuple[str, ...]
    forbidden_claims: tuple[str, ...]
    rubric: dict[str, RubricEntry]
    pack_id: Name | None = None
    reference_answer_outline: str | None = None


class _Placed(NamedTuple):
    task: Task
    where: str


def is_task_file(data: bytes) -> bool:
    """Tell whether a JSONL file is one of tasks: an object of it, or a broken line, names gold_facts.

    So is one in another encoding, which then cannot be read, rather than passed over.
    """
    if _MARK not in data:
        return any(mark in data for mark in _FOREIGN_MARKS)
    return any(_is_task_line(item) for batch in _records(data, "") for item in batch.items if _MARK in item)


def read_tasks(files: Iterable[TaskFile]) -> tuple[Task, ...]:
    """Read task files, one task a line.

    Args:
        files: The files; every object of one must be a valid task.

    Returns:
        All tasks, sorted by task_id.

    Raises:
        InputError: A line is broken, a task invalid (for bad rubrics all are named), or a task_id
            is used twice.
    """
    placed = [found for file in files for found in _read_file(file)]
    ordered = sorted(placed, key=lambda one: (one.task.task_id, one.where))
    _refuse_twins(ordered)
    _refuse_bad_rubrics(ordered)
    return tuple(one.task for one in ordered)


def _records(data: bytes, name: str) -> Iterable[Records]:
    return cut_records([data], file=name)


def _is_task_line(item: bytes) -> bool:
    try:
        value = _JSON.decode(item)
    except (msgspec.DecodeError, RecursionError):
        return True
    return isinstance(value, dict) and "gold_facts" in value


def _read_file(file: TaskFile) -> Iterable[_Placed]:
    for batch in _records(file.data, file.name):
        for refusal in batch.refused:
            raise InputError(
                "a task file cannot be read", where=_where(file, refusal.line), got=refusal.detail
            )
        for item, line in zip(batch.items, batch.lines, strict=True):
            yield _Placed(_read_task(item, file, _where(file, line)), _where(file, line))


def _where(file: TaskFile, line: int | None) -> str:
    return f"{file.name}, line {line}"


def _read_task(item: bytes, file: TaskFile, where: str) -> Task:
    try:
        fields = _JSON.decode(item.decode())
        record = msgspec.convert(fields, _TaskRecord)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(
            "a task cannot be read",
            where=where,
            got=explain(error, item)[1],
            expected="one JSON object a line, with the fields of a task",
        ) from error
    _check_facts(record, where)
    values = {name: getattr(record, name) for name in _TaskRecord.__struct_fields__}
    values["gold_insights"] = tuple(_insight(entry) for entry in record.gold_insights)
    values["pack_id"] = pack_id_of(record.pack_id or file.pack_id)
    return Task(**values, extra=_extra(fields))


def _insight(entry: str | GoldInsight) -> GoldInsight:
    return GoldInsight(entry) if isinstance(entry, str) else entry


def _extra(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in _TaskRecord.__struct_fields__}


def _check_facts(record: _TaskRecord, where: str) -> None:
    names = [fact.fact_id for fact in record.gold_facts]
    for fact in record.gold_facts:
        place = f"{where}, task {record.task_id}, gold fact {fact.fact_id!r}"
        if not fact.fact_id.strip() or names.count(fact.fact_id) > 1:
            raise InputError("a fact_id is blank or used twice in its task", where=place)
        if not _is_tolerance(fact.tolerance):
            raise InputError(
                "a tolerance cannot be read",
                where=place,
                got=repr(fact.tolerance),
                expected='a number >= 0, a text such as "5%", or null',
            )


def _is_tolerance(value: float | str | None) -> bool:
    if isinstance(value, str):
        return _PERCENT.fullmatch(value) is not None
    return value is None or (math.isfinite(value) and value >= 0)


def _refuse_twins(ordered: Sequence[_Placed]) -> None:
    for one, other in pairwise(ordered):
        if one.task.task_id == other.task.task_id:
            raise InputError(
                f"task id {one.task.task_id!r} is used twice",
                where=f"{one.where}; {other.where}",
                hint="rename one of the tasks, or keep one of the packs out",
            )


def _refuse_bad_rubrics(ordered: Sequence[_Placed]) -> None:
    faults = [(one, fault) for one in ordered if (fault := rubric_fault(one.task.rubric))]
    if faults:
        raise InputError(
            "rubric weights are not right",
            where=faults[0][0].where + (f" and {len(faults) - 1} more tasks" if faults[1:] else ""),
            got="\n       ".join(f"{one.task.task_id} ({one.where}): {fault}" for one, fault in faults),
            expected=f"a weight >= 0 for each of {', '.join(DIMENSIONS)}; their sum is 1 within 1e-6",
        )


def rubric_fault(rubric: dict[str, RubricEntry]) -> str:
    """Return what is wrong with a task's rubric, empty when nothing is."""
    missing = [key for key in DIMENSIONS if key not in rubric]
    unknown = [key for key in rubric if key not in DIMENSIONS]
    if missing or unknown:
        hint = nearest(unknown[0], missing) if unknown else ""
        parts = (
            f"missing {', '.join(missing)}" * bool(missing),
            f"unknown {', '.join(unknown)}" * bool(unknown),
            hint,
        )
        return "; ".join(part for part in parts if part)
    wrong = [key for key, entry in rubric.items() if not (math.isfinite(entry.weight) and entry.weight >= 0)]
    if wrong:
        return f"weight of {wrong[0]} is {rubric[wrong[0]].weight}"
    total = math.fsum(entry.weight for entry in rubric.values())
    return "" if abs(total - 1) <= _SUM_SLACK else f"weights sum to {total!r}"
