"""Read a pack as it is, broken or not, for the checks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from grade.errors import InputError
from pipelines.packs import files
from pipelines.packs.problems import Problem

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class PackFiles:
    """A pack's folder as read.

    Args:
        folder: The folder.
        pack_id: The manifest's pack_id, else the folder's name; with `pack_` in front.
        manifest: The manifest, None when the pack has none.
        tasks: The tasks whose line is a JSON object.
        tables: The data files, by the name that SQL uses.
        table_files: The name of each table's file, by the same name.
        measures: The text of `measures.sql`, empty when there is none.
        ground_truth: The ground truth, empty when there is none.
        problems: What could not be read.
    """

    folder: Path
    pack_id: str
    manifest: Json | None = None
    tasks: list[Json] = field(default_factory=list)
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    table_files: dict[str, str] = field(default_factory=dict)
    measures: str = ""
    ground_truth: Json = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def find_packs(folder: Path) -> list[Path]:
    """Return every folder at or below `folder` that holds a task file, sorted."""
    return sorted(path.parent for path in folder.rglob(files.TASKS))


def normal_pack_id(name: str) -> str:
    """Return a pack's name in the one form in which packs are compared.

    >>> normal_pack_id("operations_pack"), normal_pack_id("pack_operations")
    ('pack_operations', 'pack_operations')
    """
    return "pack_" + name.removeprefix("pack_").removesuffix("_pack")


def read_pack(folder: Path) -> PackFiles:
    """Return what a pack's folder holds, with a problem for each part that cannot be read."""
    problems: list[Problem] = []
    manifest = _read_object(folder / files.MANIFEST, problems)
    pack = PackFiles(
        folder=folder,
        pack_id=normal_pack_id(str((manifest or {}).get("pack_id", folder.name))),
        manifest=manifest,
        tasks=_read_tasks(folder / files.TASKS, problems),
        measures=_read_text(folder / files.MEASURES),
        ground_truth=_read_object(folder / files.GROUND_TRUTH, problems) or {},
        problems=problems,
    )
    for path in sorted(filter(files.is_table, folder.iterdir())):
        _add_table(path, pack)
    return pack


def objects(value: object) -> list[Json]:
    """Return the objects of a JSON list; nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _read_object(path: Path, problems: list[Problem]) -> Json | None:
    if not path.exists():
        return None
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        problems.append(
            Problem(field=path.name, problem=f"no JSON: {error}", hint="mend or rebuild the file")
        )
        return None
    if isinstance(value, dict):
        return value
    problems.append(Problem(field=path.name, problem="no JSON object", hint="the file holds one object"))
    return None


def _read_tasks(path: Path, problems: list[Problem]) -> list[Json]:
    tasks: list[Json] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            task = json.loads(line)
        except ValueError as error:
            task = str(error)
        if isinstance(task, dict):
            tasks.append(task)
        else:
            problems.append(
                Problem(
                    field=f"{path.name}:{number}",
                    problem=f"no JSON object: {task}",
                    hint="one task on each line",
                )
            )
    return tasks


def _add_table(path: Path, pack: PackFiles) -> None:
    if path.stem in pack.tables:
        pack.problems.append(
            Problem(
                field=path.name,
                problem=f"shares its name with {pack.table_files[path.stem]}",
                hint="give each table a stem of its own, which SQL uses as its name",
            )
        )
        return
    try:
        pack.tables[path.stem] = files.read_table(path)
        pack.table_files[path.stem] = path.name
    except InputError as error:
        pack.problems.append(Problem(field=path.name, problem=error.what, hint=error.hint))
