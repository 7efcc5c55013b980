"""Check packs: files, tasks, references, and every gold value against the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from grade.errors import InputError
from pipelines.packs.check_files import check_files
from pipelines.packs.check_tasks import check_task
from pipelines.packs.check_values import check_values
from pipelines.packs.problems import Problem, problem_frame
from pipelines.packs.reading import PackFiles, find_packs, read_pack


def check_packs(folder: Path) -> pl.DataFrame:
    """Return what is wrong with the packs at or below a folder.

    Checked are the hashes of the manifest; each task's fields, rubric and references to files and
    columns; identifiers across all packs; each gold value, by its own SQL on the pack's data; each
    task's premises; and the invariants that the manifest names.

    Args:
        folder: A pack, or a folder of packs. A pack is a folder that holds `tasks.jsonl`.

    Returns:
        One row per problem: pack_id, task_id (null when it is not in a task), field, problem, hint.
        No rows: nothing is wrong.

    Raises:
        InputError: No such folder, or no pack in it.
    """
    packs = [read_pack(path) for path in find_packs(folder)] if folder.is_dir() else []
    if not packs:
        raise InputError("there is no pack", where=str(folder), expected="a folder that holds tasks.jsonl")
    problems = [problem.at(pack_id=pack.pack_id) for pack in packs for problem in _check_pack(pack)]
    return problem_frame([*problems, *_repeated(packs)])


def _check_pack(pack: PackFiles) -> Iterator[Problem]:
    yield from pack.problems
    yield from check_files(pack)
    if not pack.tasks:
        yield Problem(field="tasks.jsonl", problem="holds no task", hint="write one task on each line")
    for task in pack.tasks:
        name = task.get("task_id")
        for problem in check_task(task, pack):
            yield problem.at(task_id=name if isinstance(name, str) else None)
    yield from check_values(pack)


def _repeated(packs: Sequence[PackFiles]) -> Iterator[Problem]:
    """Yield a problem for each pack or task identifier that is used more than once."""
    pack_ids = Counter(pack.pack_id for pack in packs)
    task_ids = Counter(str(task.get("task_id")) for pack in packs for task in pack.tasks)
    for pack in packs:
        if pack_ids[pack.pack_id] > 1:
            yield Problem(
                pack_id=pack.pack_id,
                field="pack_id",
                problem=f"{pack_ids[pack.pack_id]} packs have this id",
                hint="give each pack an id of its own in its manifest",
            )
        for task_id in dict.fromkeys(str(task.get("task_id")) for task in pack.tasks):
            if task_ids[task_id] > 1:
                yield Problem(
                    pack_id=pack.pack_id,
                    task_id=task_id,
                    field="task_id",
                    problem=f"{task_ids[task_id]} tasks have this id",
                    hint="give each task an id of its own, over all packs",
                )
