"""Write imported runs to one file that takes its place whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from grade.errors import OutputError
from grade.imports.answer import Skip
from grade.imports.runs import IMPORTED
from grade.ingest.batch import too_long
from grade.ingest.limits import DEFAULT_LIMITS
from pipelines.imports.keys import Key
from pipelines.write import sibling, writing

SUFFIXES: Final = (".jsonl", ".ndjson")
_ENCODER: Final = msgspec.json.Encoder()
_LIMIT: Final = DEFAULT_LIMITS.max_record_bytes


@contextmanager
def replaced_file(out: Path, *, marker: str) -> Iterator[BinaryIO]:
    """Yield a file to write; on a clean end it takes the place of `out`.

    Args:
        out: A new path, or an earlier file of the same kind.
        marker: The key that the first line of an earlier file has.

    Raises:
        OutputError: `out` is something else, or the disk refuses.
    """
    target = out.resolve()
    require_own(target, marker=marker)
    draft = sibling(target, f"draft-{secrets.token_hex(8)}")
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("w+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def require_own(target: Path, *, marker: str) -> None:
    """Refuse a path that holds anything but an earlier file of the same kind, or nothing.

    Raises:
        OutputError: Something else stands there.
    """
    with writing(target):
        if not target.exists():
            return
        if target.is_dir():
            raise OutputError(
                "the output path is a folder", where=str(target), expected="a file or a new path"
            )
        with target.open("rb") as file:
            head = file.readline(_LIMIT + 1)
    try:
        is_own = not head or marker in json.loads(head)
    except (ValueError, TypeError, RecursionError):
        is_own = False
    if not is_own:
        raise OutputError(
            "the output file is not an earlier import",
            where=str(target),
            expected="a new path, or a file that this command wrote",
            hint="choose another --out, or move the file away",
        )


class Written(NamedTuple):
    """A run that was written.

    Attributes:
        key: Which run it is.
        file: The file that it came from.
        line: Its line there, from 1; None where lines say nothing.
        format_name: The format that it came from.
        is_empty: The answer has no word.
    """

    key: Key
    file: str
    line: int | None
    format_name: str
    is_empty: bool


class RunWriter:
    """Writes runs a line each; of copies of one run it keeps the first, of copies that differ none.

    Args:
        file: Where lines go; also read again to take lines out.
        keeps_originals: Original records are written along.
    """

    def __init__(self, file: BinaryIO, *, keeps_originals: bool) -> None:
        self._file, self._keeps_originals = file, keeps_originals
        self._first: dict[Key, tuple[bytes, int]] = {}
        self._written: list[Written] = []
        self._refused: set[int] = set()

    @property
    def n_written(self) -> int:
        """Runs in the file, in the end."""
        return len(self._written) - len(self._refused)

    def write(self, key: Key, run: dict[str, Any]) -> None:
        """Write one run.

        Raises:
            Skip: It is a copy, or cannot be written as JSON.
        """
        line = self._encoded(run)
        content = {name: value for name, value in run.items() if name != IMPORTED}
        digest = hashlib.sha256(_ENCODER.encode(content)).digest()
        if key in self._first:
            known, number = self._first[key]
            if known == digest:
                raise Skip("duplicate", " / ".join(map(str, key)))
            self._refused.add(number)
            raise Skip("duplicate_conflict", f"another answer has the key {' / '.join(map(str, key))}, too")
        self._first[key] = (digest, len(self._written))
        about = run[IMPORTED]
        is_empty = not run["raw_response_text"].strip()
        self._written.append(Written(key, about["file"], about["line"], about["format"], is_empty))
        self._file.write(line + b"\n")

    def close(self) -> Iterator[Written]:
        """Take out the first copies of runs that others disagree with, and tell what each was."""
        if not self._refused:
            return
        self._file.flush()
        self._file.seek(0)
        position = 0
        lines = iter(self._file.readline, b"")
        kept_to = 0
        for number, line in enumerate(lines):
            position += len(line)
            if number in self._refused:
                yield self._written[number]
                continue
            self._file.seek(kept_to)
            self._file.write(line)
            kept_to += len(line)
            self._file.seek(position)
        self._file.truncate(kept_to)

    def _encoded(self, run: dict[str, Any]) -> bytes:
        about = run[IMPORTED]
        if not self._keeps_originals:
            about["original"] = None
        try:
            line = _ENCODER.encode(run)
            if len(line) > _LIMIT and about["original"] is not None:
                about["original"] = None
                line = _ENCODER.encode(run)
        except (UnicodeEncodeError, RecursionError, OverflowError, TypeError) as fault:
            reason = "lone_surrogate" if isinstance(fault, UnicodeEncodeError) else "bad_json"
            raise Skip(reason, "the answer cannot be written as JSON") from fault
        if len(line) > _LIMIT:
            raise Skip("too_long", too_long(len(line), _LIMIT))
        return line
