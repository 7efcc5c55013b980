"""The manifest of a result: what went in, by which method, what came out, and when.

It is the only file of a result that knows the time.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from grade.dimensions import WEIGHTS
from grade.settings import Settings
from pipelines.parquet import SCHEMA_VERSION
from pipelines.places import Place, Remote
from pipelines.write import MANIFEST, MARKER

_ENGINES: Final = ("polars", "duckdb", "pyarrow", "numpy", "scipy", "pandera", "msgspec")


@dataclass(frozen=True, slots=True)
class Input:
    """A kind of input: where it was looked for, and the files found there.

    Attributes:
        kind: packs, runs or verdicts.
        paths: As the user gave them.
        files: (name, sha256, bytes) of each file, sorted by name.
        told_below: Folder that is left out of the names; None tells them as given.
        about: What else is to be known of it to read it again.
        places: Where a file was, by name and hash, if its name does not tell.
    """

    kind: str
    paths: tuple[str, ...]
    files: tuple[tuple[str, str, int], ...]
    told_below: Path | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage received, made and refused.

    Attributes:
        name: The stage.
        received: Rows in, by what they are.
        made: Rows out, by what they are.
        refused: Rows refused or left out, by why.
    """

    name: str
    received: Mapping[str, int]
    made: Mapping[str, int]
    refused: Mapping[str, int]


def build_manifest(
    *,
    inputs: Sequence[Input],
    settings: Settings,
    code: str,
    stages: Iterable[Stage],
    outputs: Iterable[str],
    out: Place,
    started: datetime,
    ended: datetime,
) -> dict[str, Any]:
    """Put the manifest together.

    Args:
        inputs: What was read.
        settings: The method's settings.
        code: Hash of the program, from `pipelines.fingerprints.code_digest`.
        stages: In the order in which they ran.
        outputs: Every other file of the folder, by its path in it.
        out: Where the result will stand; input paths are told relative to it if that is a folder.
        started: When the command began, with a time zone.
        ended: When everything but the manifest was written.
    """
    return {
        "format": MARKER,
        "schema_version": SCHEMA_VERSION,
        "grade_version": grade_version(),
        "code_sha256": code,
        "inputs": {source.kind: _describe(source, out) for source in inputs},
        "method": {"settings": settings.method, "weights": WEIGHTS, "sha256": settings.digest},
        "stages": {stage.name: _counts(stage) for stage in stages},
        "outputs": sorted(outputs),
        "versions": engine_versions(),
        "started_utc": started.isoformat(timespec="seconds"),
        "duration_s": round((ended - started).total_seconds(), 3),
    }


def engine_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that results are computed with."""
    return {"python": platform.python_version(), **{name: version(name) for name in _ENGINES}}


def grade_version() -> str:
    """Return the installed version, or a mark that this is an uninstalled checkout."""
    try:
        return version("grade")
    except PackageNotFoundError:
        return "0+checkout"


def write_manifest(manifest: Mapping[str, Any], folder: Path) -> None:
    """Write the manifest, the last file of a result."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def list_outputs(folder: Path) -> list[str]:
    """Return every file below a folder, by its path in it, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _describe(source: Input, out: Place) -> dict[str, Any]:
    listing = [
        {"name": told_name(name, source.told_below), "sha256": digest, "bytes": size}
        | {"path": relative_path(source.places.get((name, digest), name), out)}
        for name, digest, size in source.files
    ]
    together = hashlib.sha256("".join(f"{one['sha256']} {one['name']}\n" for one in listing).encode())
    return {
        "paths": [relative_path(path, out) for path in source.paths],
        "given": [told_name(path, source.told_below) for path in source.paths],
        "n_files": len(listing),
        "sha256": together.hexdigest(),
        "files": listing,
        **source.about,
    }


def relative_path(path: str, out: Place) -> str:
    """Return how a path is reached from another one, with "/" between parts.

    An address stays as it is, and nothing is relative to one.
    """
    if "://" in path:
        return path
    if isinstance(out, Remote):
        return Path(os.path.normpath(Path(path).absolute())).as_posix()
    return Path(os.path.relpath(path, out)).as_posix()


def told_name(name: str, below: Path | None) -> str:
    """Return a file's name without the folder that is left out of names."""
    return name if below is None else name.removeprefix(f"{below.as_posix()}/")


def _counts(stage: Stage) -> dict[str, dict[str, int]]:
    return {"received": dict(stage.received), "made": dict(stage.made), "refused": dict(stage.refused)}
