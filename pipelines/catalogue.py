"""Load the tasks below a packs folder, and the shape of the data that the packs ship."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from grade.errors import InputError
from grade.gold import Gold, build_gold, claim_keys
from grade.ingest.limits import Limits
from grade.ingest.packs import pack_id_of_file
from grade.ingest.refusals import ReadFault
from grade.ingest.tasks import TaskFile, is_task_file, read_tasks
from grade.models import Task
from grade.schemas import TASKS
from pipelines.files import Found, link_fault, suffix_of, walk
from pipelines.packdata import DATA_SUFFIXES, read_pack_data
from pipelines.sources import InputFile, Source

_MANIFEST: Final = "manifest.json"
_LIMITS: Final = Limits(max_expanded_bytes=2**30)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that the packs say.

    Attributes:
        tasks: All tasks, sorted by task_id.
        gold: What the tasks look for, as frames.
        table: The tasks as TASKS.
        claims: One row per claim that a verdict may name: task_id, claim_id (`insight:N`,
            `limitation:N`, `forbidden:N`, `fact:FACT_ID`).
        headers: One row per column of a data file: pack_id, source_file, source_column; one row
            with a null column for a file without header.
        identifiers: One row per identifier in a pack's data: pack_id, identifier (lower case).
        inputs: The task, manifest and data files, sorted by name.
    """

    tasks: tuple[Task, ...]
    gold: Gold
    table: pl.DataFrame
    claims: pl.DataFrame
    headers: pl.DataFrame
    identifiers: pl.DataFrame
    inputs: tuple[InputFile, ...]


def load_catalogue(packs: Path) -> Catalogue:
    """Read every task file below `packs`, and the headers and identifiers of the packs' data.

    Each `*.jsonl` whose objects hold gold_facts is a task file. The data of a pack are the other
    files of the folder that its task file has for itself.

    Args:
        packs: A folder, or one task file.

    Raises:
        InputError: No such folder, no task, a broken or invalid task, a task id used twice.
    """
    if not packs.exists():
        raise InputError("no such folder of packs", where=str(packs))
    places = _places(packs)
    contents = {place: _read(place) for place in places if place.suffix == ".jsonl"}
    task_places = [place for place, (data, _) in contents.items() if is_task_file(data)]
    own_folders = {place.parent: place for place in task_places if _has_own_folder(place, task_places)}
    manifests = {folder: folder / _MANIFEST for folder in own_folders if (folder / _MANIFEST).is_file()}
    files = [
        TaskFile(place.as_posix(), contents[place][0], _pack_id(place, manifests)) for place in task_places
    ]
    tasks = read_tasks(files)
    if not tasks:
        raise InputError(
            "there is no task to score",
            where=str(packs),
            expected="a .jsonl file whose objects hold gold_facts",
        )
    data = _data_places(places, own_folders, {*task_places, *manifests.values()})
    headers, identifiers = read_pack_data(_by_pack(data, files, tasks))
    gold = build_gold(tasks)
    read = {place for found in data.values() for place in found} | set(manifests.values())
    inputs = sorted([contents[place][1] for place in task_places] + [_entry(place) for place in sorted(read)])
    return Catalogue(
        tasks, gold, gold.tasks.select(TASKS.columns), claim_keys(gold), headers, identifiers, tuple(inputs)
    )


def _places(packs: Path) -> list[Path]:
    """The files of packs; a link that leads out of their folder stops.

    A folder of packs may come from someone else, and what it holds ends up in prompts and tables.
    """
    if not packs.is_dir():
        return [packs]
    places = [place for place in walk(packs) if suffix_of(place) in DATA_SUFFIXES]
    for place in places:
        fault = link_fault(place, packs)
        if fault is not None:
            raise InputError("a file of a pack cannot be read", where=place.as_posix(), got=fault.detail)
    return places


def _entry(place: Path) -> InputFile:
    return _read(place, keeps=False)[1]


def _read(place: Path, *, keeps: bool = True) -> tuple[bytes, InputFile]:
    try:
        with Source(Found(place.as_posix(), place, suffix_of(place)), limits=_LIMITS) as source:
            data = b"".join(source.blocks()) if keeps else b""
            entry = source.entry()
    except ReadFault as fault:
        raise InputError(
            "a file of a pack cannot be read", where=place.as_posix(), got=fault.detail
        ) from fault
    if entry is None:  # pragma: no cover - a fault that was raised above
        raise InputError("a file of a pack cannot be read", where=place.as_posix())
    return data, entry


def _has_own_folder(place: Path, task_places: Sequence[Path]) -> bool:
    return sum(other.parent == place.parent for other in task_places) == 1


def _pack_id(place: Path, manifests: Mapping[Path, Path]) -> str:
    manifest = manifests.get(place.parent)
    return pack_id_of_file(place.resolve().as_posix(), manifest_pack_id=_manifest_pack_id(manifest))


def _manifest_pack_id(manifest: Path | None) -> str | None:
    if manifest is None:
        return None
    try:
        content = msgspec.json.decode(manifest.read_bytes(), type=dict)
    except (msgspec.MsgspecError, ValueError, RecursionError, OSError) as error:
        raise InputError(
            "a pack's manifest cannot be read", where=manifest.as_posix(), got=str(error)
        ) from error
    pack_id = content.get("pack_id")
    return pack_id if isinstance(pack_id, str) and pack_id.strip() else None


def _data_places(
    places: Iterable[Path], own_folders: Mapping[Path, Path], others: set[Path]
) -> dict[Path, list[Path]]:
    """Return the data files of each task file that has a folder for itself."""
    data: dict[Path, list[Path]] = {task_place: [] for task_place in own_folders.values()}
    for place in places:
        folder = next((parent for parent in place.parents if parent in own_folders), None)
        if folder is not None and place not in others and suffix_of(place) in DATA_SUFFIXES:
            data[own_folders[folder]].append(place)
    return data


def _by_pack(
    data: Mapping[Path, list[Path]], files: Sequence[TaskFile], tasks: Sequence[Task]
) -> dict[str, list[Path]]:
    """Return the data files of each pack."""
    packs = {Path(file.name): file.pack_id for file in files}
    known = {task.pack_id for task in tasks}
    by_pack: dict[str, list[Path]] = {}
    for task_place, found in data.items():
        if packs[task_place] in known:
            by_pack.setdefault(packs[task_place], []).extend(found)
    return by_pack
