"""A journal: judgements as they arrive, a line each, on the disk before the next question is asked.

A journal belongs to one process, which holds its lock. When the process has ended, in whatever
way, the lock is free and the next process turns the journal into a part of the store.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

ENDING: Final = ".jsonl"


class Journal:
    """An open journal of this process.

    Args:
        folder: Where journals are.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{secrets.token_hex(8)}{ENDING}"
        # The lock is taken before the name ends as a journal's does, or another process could
        # take a journal just begun for one that was left behind.
        draft = self.path.with_suffix(".new")
        self._descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        draft.rename(self.path)
        self.rows: list[dict[str, Any]] = []

    def append(self, row: dict[str, Any]) -> None:
        """Add a judgement; it is on the disk when this returns.

        Raises:
            OSError: The disk refuses.
        """
        line = json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
        view = memoryview(line)
        while view:
            view = view[os.write(self._descriptor, view) :]
        os.fsync(self._descriptor)
        # As it stands on the disk: half a surrogate pair, which no file can hold, is a "?" there.
        self.rows.append(json.loads(line))

    def discard(self) -> None:
        """Take the journal away, once its rows stand in a part."""
        self.path.unlink()
        os.close(self._descriptor)


class LeftJournal:
    """A journal that its process left behind, locked so that only one successor takes it over."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """Return the journal, or None when its process lives or another has taken it."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return cls(path, descriptor)
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(descriptor)
        return None

    def rows(self) -> list[dict[str, Any]]:
        """Return its judgements; a line that was cut off with its process is none."""
        return list(read_lines(self.path, 0)[0])

    def discard(self) -> None:
        """Take the journal away, once its rows stand in a part."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let the journal be."""
        os.close(self._descriptor)


def read_lines(path: Path, offset: int) -> tuple[Iterator[dict[str, Any]], int]:
    """Return the whole lines of a journal from an offset on, and where the next ones begin.

    Raises:
        FileNotFoundError: The journal has become a part meanwhile.
    """
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    return map(json.loads, whole.splitlines()), offset + len(whole)
