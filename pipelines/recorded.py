"""The inputs that a manifest names: what is recorded of them, and where they lie now."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from grade.errors import InputError
from grade.ingest.refusals import ReadFault
from pipelines.files import Found, suffix_of, walk
from pipelines.judging.store import MARKER

KINDS: Final = ("packs", "runs", "verdicts")
"""The kinds of inputs, in the order in which they are read."""

_SHOWN: Final = 5


class Recorded(NamedTuple):
    """A file as the manifest names it.

    Attributes:
        kind: packs, runs or verdicts.
        name: Its name in the tables.
        sha256: Hash of its bytes.
        n_bytes: Their number.
        path: Where it was, from the result folder.
    """

    kind: str
    name: str
    sha256: str
    n_bytes: int
    path: str


class Located(NamedTuple):
    """A recorded file, and where it lies.

    Attributes:
        entry: What is recorded of it.
        place: A file with the recorded bytes.
    """

    entry: Recorded
    place: Path


def list_recorded(manifest: Mapping[str, Any], *, where: str) -> list[Recorded]:
    """Return every file of inputs that a manifest names.

    Raises:
        InputError: The manifest does not say enough to find them.
    """
    try:
        return [
            Recorded(kind, str(one["name"]), str(one["sha256"]), int(one["bytes"]), str(one["path"]))
            for kind in KINDS
            for one in manifest["inputs"][kind]["files"]
        ]
    except (LookupError, TypeError, ValueError) as fault:
        raise InputError(
            "the manifest does not say where the inputs are",
            where=where,
            got=f"no {fault}",
            hint="the result was made by an older version of grade; score again",
        ) from fault


def locate(entries: Iterable[Recorded], *, home: Path, search: Sequence[Path]) -> list[Located]:
    """Find every file, by its name or by its content.

    A file is looked for below the folders of `search` under its name or the end of it, then where
    it was when the result was made, then anywhere below `search` by its hash.

    Args:
        entries: The files.
        home: The result folder.
        search: Folders to look through.

    Raises:
        InputError: A file is missing, or holds other bytes than it did; each is named.
    """
    shelves = [_Shelf(folder) for folder in search]
    found: list[Located] = []
    faults: list[str] = []
    for entry in entries:
        places = [place for place in _candidates(entry, home, search) if place.is_file()]
        fitting = next((place for place in places if has_hash(place, entry)), None)
        fitting = fitting or next((hit for shelf in shelves if (hit := shelf.find(entry))), None)
        if fitting is not None:
            found.append(Located(entry, fitting))
        elif places:
            faults.append(f"{entry.name}: other content than was scored (looked at {places[0]})")
        else:
            faults.append(f"{entry.name}: missing (was at {entry.path}, seen from the result)")
    if faults:
        more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise InputError(
            f"{len(faults)} of the recorded input files cannot be verified against",
            where=str(home / "manifest.json"),
            got="; ".join(faults[:_SHOWN]) + more,
            expected="files whose SHA-256 is the recorded one",
            hint="--inputs DIR names a folder that holds them, under any name",
        )
    return found


def has_hash(place: Path, entry: Recorded) -> bool:
    """Tell whether a file holds the recorded bytes.

    Raises:
        InputError: It cannot be read.
    """
    try:
        if place.stat().st_size != entry.n_bytes:
            return False
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    except OSError as fault:
        raise InputError("an input cannot be read", where=str(place), got=str(fault.strerror)) from fault


class _Shelf:
    """A folder whose files are known by their content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _by_size(self) -> dict[int, list[Path]]:
        places: dict[int, list[Path]] = {}
        for place in walk(self._folder):
            if place.is_file():
                places.setdefault(place.stat().st_size, []).append(place)
        return places

    def find(self, entry: Recorded) -> Path | None:
        return next((one for one in self._by_size.get(entry.n_bytes, []) if has_hash(one, entry)), None)


def _candidates(entry: Recorded, home: Path, search: Sequence[Path]) -> Iterator[Path]:
    parts = [part for part in PurePosixPath(entry.name).parts if part not in {"/", ".."}]
    for folder in search:
        yield from (folder.joinpath(*parts[start:]) for start in range(len(parts)))
    yield home / entry.path


def as_found(located: Sequence[Located], unread: Iterable[Mapping[str, str]], scratch: Path) -> list[Found]:
    """Return located files under their recorded names, and those that could not be opened then.

    Two names of equal content need two files, since each file is read once; the second is a copy.

    Args:
        located: Files of runs or verdicts.
        unread: name, reason and detail of files that were refused as a whole.
        scratch: A folder for copies.
    """
    used: set[Path] = set()
    found = []
    for number, (entry, place) in enumerate(located):
        own = place.resolve()
        if own in used:
            own = scratch / f"copy-{entry.kind}-{number}"
            shutil.copyfile(place, own)
        used.add(own)
        found.append(Found(entry.name, own, suffix_of(Path(entry.name))))
    for one in unread:
        gone = scratch / "nothing"
        fault = ReadFault(one["reason"], one["detail"])
        found.append(Found(one["name"], gone / one["name"].strip("/"), suffix_of(Path(one["name"])), fault))
    return found


def lay_out_stores(
    located: Sequence[Located], given: Iterable[str], scratch: Path
) -> tuple[list[Found], list[Located]]:
    """Copy the files of verdict stores to where they were in their store.

    A store may have grown since; only what was there then is laid out.

    Args:
        located: The files of verdicts.
        given: What the user named as verdicts; a store is a folder among these with a store's marker.
        scratch: A folder for the stores.

    Returns:
        The stores under their recorded names, and the files that belong to none.

    Raises:
        InputError: The manifest names a place outside a store.
    """
    names = {PurePosixPath(name) for name in given}
    markers = [PurePosixPath(entry.name) for entry, _ in located]
    stores = [marker.parent for marker in markers if marker.name == MARKER and marker.parent in names]
    found, rest = [], list(located)
    for number, store in enumerate(stores):
        folder = scratch / f"verdict-store-{number}"
        inside = [one for one in rest if PurePosixPath(one.entry.name).is_relative_to(store)]
        for entry, place in inside:
            target = _below(folder, PurePosixPath(entry.name).relative_to(store).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place, target)
        rest = [one for one in rest if one not in inside]
        found.append(Found(store.as_posix(), folder, ""))
    return found, rest


def lay_out_packs(located: Sequence[Located], about: Mapping[str, Any], scratch: Path) -> Path:
    """Copy the files of packs to where they were below their folder, and return that folder.

    Args:
        located: The files.
        about: What the manifest says of the packs.
        scratch: An empty folder.

    Raises:
        InputError: The manifest names a place outside the folder.
    """
    root = _below(scratch, about["folder"])
    given = PurePosixPath(about["given"][0])
    for entry, place in located:
        name = PurePosixPath(entry.name)
        inner = name.relative_to(given) if name.is_relative_to(given) else name
        target = _below(root, inner.as_posix()) if inner.parts else root
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, target)
    return root


def _below(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or any(part in {"..", "/"} for part in parts):
        raise InputError("the manifest names a place outside the folder that it was in", where=name)
    return folder.joinpath(*parts)
