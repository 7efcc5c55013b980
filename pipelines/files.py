"""Find the input files that a user's paths name: files, folders and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from grade.errors import InputError
from grade.hints import nearest
from grade.ingest.refusals import ReadFault

COMPRESSED: Final = (".gz", ".zst")
"""Endings that may follow another one."""

RUN_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".parquet")
"""Endings of files of runs, which COMPRESSED may follow."""

VERDICT_SUFFIXES: Final = (*RUN_SUFFIXES, ".csv")
"""Endings of files of verdicts."""


class Found(NamedTuple):
    """A file to be read.

    Attributes:
        name: The path as given, or below the folder as given, its parts joined by "/".
        path: Where it is.
        suffix: Its ending, without that of compression, in lower case.
        fault: Why it is not to be read, None if it is.
    """

    name: str
    path: Path
    suffix: str
    fault: ReadFault | None = None


def find_files(paths: Sequence[str | Found], *, suffixes: Sequence[str]) -> list[Found]:
    """Return the files that paths name, each once, sorted by name.

    Folders are searched at any depth for files with the right endings; names that begin with a dot
    are passed over, folders behind links are not entered, and a link that leads out of the
    folder is found with a fault. A path with `*`, `?` or `[` that is no file is a pattern.

    Args:
        paths: Files, folders and patterns; a file that was found before is taken as it is.
        suffixes: The endings to look for.

    Raises:
        InputError: A path names nothing, or a file of another kind.
    """
    found: dict[str, Found] = {}
    for one in sorted(entry for path in paths for entry in _find(path, suffixes)):
        found.setdefault(os.path.realpath(one.path), one)
    return list(found.values())


def name_of(path: str | Found) -> str:
    """Return a path as it was given, or the name of a file that was found before."""
    return path if isinstance(path, str) else path.name


def path_of(path: str | Found) -> Path:
    """Return where a path as given, or a file that was found before, lies."""
    return Path(path) if isinstance(path, str) else path.path


def suffix_of(path: Path) -> str:
    """Return a file's ending without that of compression.

    Examples:
        >>> suffix_of(Path("runs.JSONL.gz")), suffix_of(Path("runs.json"))
        ('.jsonl', '.json')
    """
    name = Path(path.name.lower())
    return Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix


def _find(path: str | Found, suffixes: Sequence[str]) -> Iterator[Found]:
    if isinstance(path, Found):
        yield path
        return
    place = Path(path)
    if place.is_dir():
        yield from _search(place, suffixes)
    elif place.exists():
        yield _named(place, suffixes)
    elif any(mark in path for mark in "*?["):
        yield from _match(path, suffixes)
    else:
        siblings = [entry.name for entry in place.parent.iterdir()] if place.parent.is_dir() else []
        raise InputError("no such file or folder", where=path, hint=nearest(place.name, siblings))


def _named(place: Path, suffixes: Sequence[str]) -> Found:
    suffix = suffix_of(place)
    if place.is_file() and suffix not in suffixes:
        raise InputError(
            "a file of a kind that is not read here",
            where=str(place),
            expected=f"{', '.join(suffixes)}, or one of them with {' or '.join(COMPRESSED)} behind it",
        )
    return Found(place.as_posix(), place, suffix)


def _match(pattern: str, suffixes: Sequence[str]) -> Iterator[Found]:
    matches = [Path(match) for match in glob.glob(pattern, recursive=True)]  # noqa: PTH207 - takes absolute patterns
    base = _fixed_folder(pattern)
    found = [
        Found(match.as_posix(), match, suffix_of(match), link_fault(match, base))
        for match in matches
        if match.is_file()
    ]
    found = [one for one in found if one.suffix in suffixes]
    for folder in matches:
        if folder.is_dir():
            found.extend(_search(folder, suffixes, may_be_empty=True))
    if not found:
        raise InputError("the pattern matches no file", where=pattern, expected=", ".join(suffixes))
    yield from found


def _fixed_folder(pattern: str) -> Path:
    """The folder that a pattern begins with, before its first mark."""
    parts = Path(pattern).parts
    marked = next(place for place, part in enumerate(parts) if any(mark in part for mark in "*?["))
    return Path(*parts[:marked])


def _search(folder: Path, suffixes: Sequence[str], *, may_be_empty: bool = False) -> Iterator[Found]:
    places = [place for place in walk(folder) if suffix_of(place) in suffixes]
    if not places and not may_be_empty:
        raise InputError("the folder holds no file to read", where=str(folder), expected=", ".join(suffixes))
    for place in places:
        yield Found(place.as_posix(), place, suffix_of(place), link_fault(place, folder))


def walk(folder: Path) -> list[Path]:
    """Return the files at any depth below a folder, sorted; nothing that begins with a dot.

    Raises:
        InputError: A folder may not be listed.
    """

    def stop(error: OSError) -> None:
        raise InputError("a folder cannot be listed", where=str(error.filename), got=str(error.strerror))

    places: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith(".")]
        places.extend(Path(parent, name) for name in names if not name.startswith("."))
    return sorted(places)


def link_fault(place: Path, folder: Path) -> ReadFault | None:
    """Say why a file that was found below a folder is not to be read; None if it is.

    Links are followed within the folder only.
    """
    if not place.resolve().is_relative_to(folder.resolve()):
        return ReadFault("outside_folder", "a link that leads out of the folder that was searched")
    if not place.is_file():
        return ReadFault("unreadable_file", "no regular file, or a link to nothing")
    return None
