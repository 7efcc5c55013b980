"""What is finished of a result when the user stops the work, kept beside it for the next time."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grade.schemas import GROUPS
from pipelines.earlier import read_groups, vouch
from pipelines.interrupts import unbroken
from pipelines.write import MANIFEST, sibling, siblings


@contextmanager
def kept_when_interrupted(folder: Path, out: Path) -> Iterator[None]:
    """Put a half-made result beside `out` when the user stops the work; see `partial_folders`.

    Args:
        folder: Where the result is made; its table files are closed when the body ends.
        out: Where the result shall stand.
    """
    try:
        yield
    except KeyboardInterrupt:
        with unbroken():
            _keep(folder, out)
        raise


def partial_folders(out: Path) -> list[Path]:
    """Return what earlier attempts have left; each is like a result, but of the first groups only."""
    return siblings(out.resolve(), "partial-*")


def drop_partials(out: Path) -> None:
    """Remove what earlier attempts have left."""
    for path in partial_folders(out):
        shutil.rmtree(path, ignore_errors=True)


def _keep(folder: Path, out: Path) -> None:
    try:
        (folder / MANIFEST).write_text(json.dumps(vouch(folder)), encoding="utf-8")
    except OSError:
        return  # stopped before the first group
    groups = read_groups(folder)
    if groups is None or groups.is_empty():
        return
    for path in partial_folders(out):
        before = read_groups(path)
        if before is None or before.join(groups, on=list(GROUPS.columns), how="anti").is_empty():
            shutil.rmtree(path, ignore_errors=True)  # the new one holds all of it
    folder.rename(_next_place(out))


def _next_place(out: Path) -> Path:
    taken = {path.name for path in partial_folders(out)}
    places = (sibling(out.resolve(), f"partial-{number:04d}") for number in range(len(taken) + 1))
    return next(place for place in places if place.name not in taken)
