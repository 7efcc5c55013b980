"""The verdict store: a folder of Parquet parts that only grows, safe with several processes.

A judgement goes into a journal as it arrives; journals become parts. Parts are named by their
content and never change. A question is asked by the process that holds its byte in the lease
file; the system frees the byte when the process ends, so a killed one blocks nobody.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Final, Self

import polars as pl

from grade.errors import InputError
from grade.judging.keys import Judge, write_parameters
from grade.judging.tables import JUDGEMENTS
from grade.schemas import check
from pipelines.judging.journal import ENDING, Journal, LeftJournal, read_lines
from pipelines.table_files import read_table
from pipelines.write import writing

MARKER: Final = "judge-store.json"
"""The file that tells a verdict store from any other folder."""

_ABOUT: Final = {"format": "grade-judge-store", "version": 1}
_PART_ROWS: Final = 5_000
_UNSCORED: Final = "unscored"


class Claim(Enum):
    """What became of the wish to ask a question."""

    TAKEN = "taken"
    HELD = "another process is asking it"
    ANSWERED = "a verdict answers it"


class Store:
    """A store open for writing; a context manager.

    Args:
        folder: The store; made when it is missing.
        retry_unscored: Ask questions again whose reply could not be read.

    Raises:
        InputError: The folder holds something else.
        OutputError: The folder cannot be written.
    """

    def __init__(self, folder: Path, *, retry_unscored: bool = False) -> None:
        self.folder = folder
        self._retries = retry_unscored
        with writing(folder):
            _prepare(folder)
            self._leases = os.open(folder / "leases", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            self._journal = Journal(folder / "journals")
        self._lock = RLock()
        self._states: dict[str, str] = {}
        self._read_parts: set[str] = set()
        self._read_to: dict[Path, int] = {}
        self._take_over()
        self._refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def claim(self, verdict_key: str) -> Claim:
        """Ask to be the one who puts a question; after TAKEN it has to be released."""
        with self._lock:
            if self._is_answered(verdict_key):
                return Claim.ANSWERED
            if not self._lease(verdict_key, fcntl.LOCK_EX | fcntl.LOCK_NB):
                return Claim.HELD
            self._refresh()
            if self._is_answered(verdict_key):
                self.release(verdict_key)
                return Claim.ANSWERED
            return Claim.TAKEN

    def release(self, verdict_key: str) -> None:
        """Let others put the question."""
        self._lease(verdict_key, fcntl.LOCK_UN)

    def append(self, row: dict[str, Any]) -> None:
        """Store a judgement; it is on the disk when this returns.

        Raises:
            OutputError: The disk refuses.
        """
        with self._lock, writing(self.folder):
            self._journal.append(row)
            self._note(row)
            if len(self._journal.rows) >= _PART_ROWS:
                finished, self._journal = self._journal, Journal(self.folder / "journals")
                self._keep(finished.rows)
                finished.discard()

    def is_answered(self, verdict_key: str) -> bool:
        """Tell whether a verdict answers a question, as far as this process has read."""
        with self._lock:
            return self._is_answered(verdict_key)

    def note_judge(self, judge: Judge) -> None:
        """Remember a judge, so that replies that come later can be told to be its own."""
        text = json.dumps({"model": judge.model, "parameters": json.loads(judge.parameters)}, indent=2)
        with writing(self.folder):
            _put(self.folder / "judges" / f"{judge.key}.json", (text + "\n").encode())

    def judges(self) -> list[Judge]:
        """Return the judges that were ever asked for this store."""
        found = [json.loads(path.read_bytes()) for path in sorted((self.folder / "judges").glob("*.json"))]
        return [Judge(told["model"], write_parameters(told["parameters"])) for told in found]

    def close(self) -> None:
        """Turn what arrived into a part."""
        with self._lock, writing(self.folder):
            self._keep(self._journal.rows)
            self._journal.discard()
            os.close(self._leases)

    def _is_answered(self, verdict_key: str) -> bool:
        state = self._states.get(verdict_key)
        return state is not None and not (self._retries and state == _UNSCORED)

    def _note(self, row: dict[str, Any]) -> None:
        if self._states.get(row["verdict_key"], _UNSCORED) == _UNSCORED:
            self._states[row["verdict_key"]] = row["reply_state"]

    def _lease(self, verdict_key: str, how: int) -> bool:
        # 60 bits of the key choose the byte; two keys that shared one would wait for each other.
        try:
            fcntl.lockf(self._leases, how, 1, int(verdict_key[:15], 16), os.SEEK_SET)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _refresh(self) -> None:
        """Learn what other processes have stored: journals first, since these turn into parts."""
        for path in sorted((self.folder / "journals").glob(f"*{ENDING}")):
            if path != self._journal.path:
                try:
                    rows, self._read_to[path] = read_lines(path, self._read_to.get(path, 0))
                except FileNotFoundError:
                    continue
                for row in rows:
                    self._note(row)
        for path in sorted((self.folder / "parts").glob("*.parquet")):
            if path.name not in self._read_parts:
                self._read_parts.add(path.name)
                for key, state in read_table(path, ["verdict_key", "reply_state"]).rows():
                    self._note({"verdict_key": key, "reply_state": state})

    def _take_over(self) -> None:
        for path in sorted((self.folder / "journals").glob(f"*{ENDING}")):
            left = LeftJournal.take(path) if path != self._journal.path else None
            if left is not None:
                rows = left.rows()
                with writing(self.folder):
                    self._keep(rows)
                    left.discard()
                for row in rows:
                    self._note(row)

    def _keep(self, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            frame = _frame(rows).sort("verdict_key", "asked_utc").unique("verdict_key", keep="first")
            data = _parquet(check(frame.sort("verdict_key"), JUDGEMENTS, where="the verdict store"))
            name = f"part-{hashlib.sha256(data).hexdigest()[:16]}.parquet"
            self._read_parts.add(name)
            _put(self.folder / "parts" / name, data)


def is_store(path: Path) -> bool:
    """Tell whether a path is a verdict store."""
    return (path / MARKER).is_file()


def read_store(folder: Path | None, columns: Sequence[str] = JUDGEMENTS.columns) -> pl.DataFrame:
    """Read a store, also while processes write it; nothing in it is touched.

    Args:
        folder: The store; None is one without judgements.
        columns: The columns of JUDGEMENTS to read.

    Returns:
        These columns, one row per verdict_key and sorted by it. Of several judgements under one
        key the first readable one counts.

    Raises:
        InputError: There is no store, or it is damaged.
    """
    if folder is None:
        return JUDGEMENTS.empty().select(columns)
    if not is_store(folder):
        raise InputError(
            "there is no verdict store",
            where=str(folder),
            expected="a folder that `grade judge run` wrote",
        )
    needed = list(dict.fromkeys([*columns, "verdict_key", "reply_state", "asked_utc"]))
    frames = [JUDGEMENTS.empty().select(needed)]
    try:
        for path in sorted((folder / "journals").glob(f"*{ENDING}")):
            try:
                frames.append(_frame(read_lines(path, 0)[0]).select(needed))
            except FileNotFoundError:
                continue
        frames += [
            read_table(path, needed).select(needed) for path in sorted((folder / "parts").glob("*.parquet"))
        ]
    except (OSError, ValueError, pl.exceptions.PolarsError) as fault:
        raise InputError("the verdict store cannot be read", where=str(folder), got=str(fault)) from fault
    order = ["verdict_key", pl.col("reply_state") == _UNSCORED, "asked_utc"]
    return (
        pl.concat(frames).sort(order).unique("verdict_key", keep="first", maintain_order=True).select(columns)
    )


def _prepare(folder: Path) -> None:
    # Hidden names do not count: another process may be making the same store right now.
    is_other = folder.exists() and not is_store(folder) and not folder.is_dir()
    if is_other or (folder.is_dir() and not is_store(folder) and any(folder.glob("[!.]*"))):
        raise InputError(
            "the folder is no verdict store",
            where=str(folder),
            expected="a new or empty folder, or an earlier store",
        )
    folder.mkdir(parents=True, exist_ok=True)
    _put(folder / MARKER, json.dumps(_ABOUT).encode() + b"\n")
    for name in ("parts", "journals", "judges"):
        (folder / name).mkdir(exist_ok=True)


def _put(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; where it stands already, with this content, leave it."""
    if path.exists():
        return
    draft = path.with_name(f".{secrets.token_hex(8)}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _frame(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=JUDGEMENTS.dtypes, orient="row")


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()
