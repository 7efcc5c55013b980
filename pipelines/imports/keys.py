"""Tell for each answer its task, model and run: from options, a mapping file, a pattern or the format."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from grade.errors import InputError
from grade.imports.answer import Answer, Skip, text_or_none
from grade.imports.places import compile_pattern, lookup, run_number
from pipelines.files import COMPRESSED

DEFAULT_PATTERNS: Final = ("{model}/{task}/{run}", "{task}/{model}/{run}", "{task}/{run}")
"""Patterns that are tried when none is given: the first for files, the others for ids of records."""

_BY_DEFAULT: Final = tuple(map(compile_pattern, DEFAULT_PATTERNS))
_NAMES: Final = ("file", "id", "name", "custom_id")
_PARTS: Final = {"task": ("task", "task_id"), "model": ("model", "model_id"), "run": ("run", "run_index")}


class Key(NamedTuple):
    """Which run an answer is."""

    model_id: str
    task_id: str
    run_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOptions:
    """How the user wants keys to be found.

    Attributes:
        task_field: Path of the task within a record.
        model_field: Path of the model within a record.
        run_field: Path of the run's number within a record.
        model: The model of all answers.
        pattern: A pattern over file names or ids of records.
        mapping: A file that names task, model and run of each file or id.
    """

    task_field: str | None = None
    model_field: str | None = None
    run_field: str | None = None
    model: str | None = None
    pattern: str | None = None
    mapping: Path | None = None


@dataclass(slots=True)
class KeyFinder:
    """Finds keys; numbers a model's answers to a task in order where nothing numbers them."""

    options: KeyOptions
    _mapped: Mapping[str, Mapping[str, Any]] | None = None
    _pattern: re.Pattern[str] | None = None
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.options.mapping is not None:
            self._mapped = read_mapping(self.options.mapping)
        if self.options.pattern is not None:
            self._pattern = compile_pattern(self.options.pattern)

    def find(self, answer: Answer, file: str) -> Key:
        """Return an answer's key.

        Args:
            answer: The answer.
            file: The name of its file.

        Raises:
            Skip: Nothing says which task or model it is, or its number is none.
        """
        told = self._told(answer, file)
        options = self.options
        task = self._field(answer, options.task_field) or text_or_none(told.get("task")) or answer.task_id
        model = options.model or self._field(answer, options.model_field)
        model = model or text_or_none(told.get("model")) or answer.model_id
        if task is None:
            raise Skip(
                "missing_task", f"name it with --task-field, --pattern or --mapping; {answer.name or file}"
            )
        if model is None:
            raise Skip(
                "missing_model", f"name it with --model, --model-field, --pattern or --mapping; task {task}"
            )
        return Key(model, task, self._run(answer, told, (model, task)))

    def _field(self, answer: Answer, path: str | None) -> str | None:
        return None if path is None else text_or_none(lookup(answer.record, path))

    def _run(self, answer: Answer, told: Mapping[str, Any], group: tuple[str, str]) -> int:
        given = told.get("run")
        if self.options.run_field is not None:
            given = lookup(answer.record, self.options.run_field)
        if given is None or given == "":
            given = answer.run_index
        if given is None:
            self._counts[group] += 1
            return self._counts[group] - 1
        number = run_number(given)
        if number is None:
            raise Skip("bad_run_index", str(given)[:100])
        return number

    def _told(self, answer: Answer, file: str) -> Mapping[str, Any]:
        """What the mapping file says, or else the pattern."""
        name = answer.name or file
        if self._mapped is not None:
            for known in (name, file, Path(file).name):
                if known in self._mapped:
                    return self._mapped[known]
            if answer.task_id is None:
                raise Skip("not_mapped", name)
        if self._pattern is not None:
            found = self._pattern.search(name) or self._pattern.search(_bare(name))
            if found is None:
                raise Skip("missing_task", f"{name} does not fit the pattern {self.options.pattern}")
            return found.groupdict()
        if answer.task_id is None and self.options.task_field is None:
            return _by_default(answer, file)
        return {}


def _by_default(answer: Answer, file: str) -> Mapping[str, Any]:
    patterns = _BY_DEFAULT[1:] if answer.name else _BY_DEFAULT[:1]
    name = answer.name or _bare(file)
    for pattern in patterns:
        found = pattern.search(name)
        if found is not None:
            return found.groupdict()
    return {"task": answer.name}


def _bare(name: str) -> str:
    """A file's name without its ending."""
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last.rpartition('.')[0] or last}"


def read_mapping(path: Path) -> dict[str, dict[str, Any]]:
    """Read a mapping file: CSV, JSON lines, or JSON as a list of rows or as an object by name.

    Raises:
        InputError: It cannot be read, or a row names no file or id, or one twice.
    """
    try:
        rows = list(_rows(path.read_text(encoding="utf-8-sig"), path.suffix.lower()))
    except (OSError, ValueError, csv.Error, RecursionError) as fault:
        raise InputError("the mapping file cannot be read", where=str(path), got=str(fault)[:200]) from fault
    mapped: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, start=1):
        name = next((str(row[name]) for name in _NAMES if row.get(name) not in {None, ""}), None)
        if name is None or name in mapped:
            raise InputError(
                "a row of the mapping file names no file or id"
                if name is None
                else "the mapping file names one twice",
                where=f"{path}, row {number}",
                got=name or ", ".join(map(str, row)),
                expected="the columns file (or id), task, model and run",
            )
        mapped[name] = {part: _given(row, names) for part, names in _PARTS.items()}
    return mapped


def _given(row: Mapping[str, Any], names: Iterable[str]) -> object:
    return next((row[name] for name in names if row.get(name) not in {None, ""}), None)


def _rows(text: str, suffix: str) -> Iterable[dict[str, Any]]:
    if suffix == ".csv":
        return csv.DictReader(io.StringIO(text))
    if suffix in {".jsonl", ".ndjson"}:
        content: Any = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        content = json.loads(text)
    if isinstance(content, dict):
        content = [{"file": name, **row} for name, row in content.items() if isinstance(row, dict)]
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise ValueError("expected rows with file, task, model and run")
    return content
