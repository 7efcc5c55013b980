"""Replace a result folder whole or not at all.

Everything is written into a hidden sibling folder first and then exchanged with the target in
one step of the file system, so that a reader sees the old result or the new one, also when the
process is killed. A lock file beside the target keeps two processes apart; whoever holds it
clears away what a killed one left behind.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from grade.errors import OutputError

MANIFEST: Final = "manifest.json"
"""The file that tells a result folder of ours from any other folder."""

MARKER: Final = "grade-result"
"""Value of `format` in the manifest."""

_EXCHANGE: Final = 2  # RENAME_EXCHANGE of linux/fs.h
_AT_FDCWD: Final = -100
_UNSUPPORTED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


@contextmanager
def replaced_folder(out: Path, *, marker: str = MARKER) -> Iterator[Path]:
    """Yield an empty folder to write into; on a clean end it takes the place of `out`.

    Nothing changes at `out` when the body raises. Links are followed, so that a linked result
    is replaced where it lies.

    Args:
        out: Where the result shall stand: a new path, an empty folder or an earlier result.
        marker: The `format` of the manifest by which an earlier result is known.

    Raises:
        OutputError: `out` is something else, another process writes it, or the disk refuses.
    """
    _require_path(out)
    target = out.resolve()
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    with _locked(target):
        require_replaceable(target, marker=marker)
        _clear_leftovers(target)
        draft = sibling(target, f"draft-{secrets.token_hex(8)}")
        with writing(draft):
            draft.mkdir()
        try:
            with writing(draft):
                yield draft
                flush(draft)
            require_replaceable(target, marker=marker)
            with writing(target):
                _put(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _require_path(out: Path) -> None:
    """Refuse what was meant for an address; as a path it has lost one of its two slashes."""
    if out.parts[:1] == ("s3:",):
        raise OutputError(
            "this is written to this machine only", where=str(out), hint="write it here, and copy it"
        )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a refusal of the file system into an error that names the path.

    Raises:
        OutputError: The disk is full, the folder is not ours to write, and the like.
    """
    _require_path(path)
    try:
        yield
    except OSError as fault:
        place = fault.filename or path
        raise OutputError(
            "the result cannot be written",
            where=str(place),
            got=fault.strerror or str(fault),
            hint=_HINTS.get(fault.errno or 0, "nothing was changed at the output path"),
        ) from fault


_HINTS: Final[dict[int, str]] = {
    errno.ENOSPC: "the disk is full; free some space or choose another --out; nothing was changed",
    errno.EDQUOT: "the disk quota is used up; choose another --out; nothing was changed",
    errno.EACCES: "choose an --out that you may write to",
    errno.EPERM: "choose an --out that you may write to",
    errno.EROFS: "this file system is read-only; choose another --out",
    errno.ENAMETOOLONG: "choose a shorter --out",
}


def require_replaceable(target: Path, *, marker: str = MARKER) -> None:
    """Refuse a target that holds anything but an earlier result.

    Raises:
        OutputError: A file stands there, or a folder with files that no manifest of ours lists.
    """
    with writing(target):
        if not target.exists():
            return
        if not target.is_dir():
            raise OutputError(
                "the output path is a file", where=str(target), expected="a folder or a new path"
            )
        found = {path.relative_to(target).as_posix() for path in target.rglob("*") if not path.is_dir()}
    foreign = sorted(found - _listed(target, marker))
    if foreign:
        raise OutputError(
            "the output folder holds files that are not an earlier result",
            where=str(target),
            got=", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""),  # noqa: PLR2004
            expected="a new path, an empty folder or a folder that this command wrote",
            hint="choose another --out, or move these files away",
        )


def _listed(target: Path, marker: str) -> set[str]:
    """Every file that the manifest in a folder calls its own, itself included."""
    try:
        manifest: Any = json.loads((target / MANIFEST).read_bytes())
        if manifest["format"] != marker:
            return set()
        return {MANIFEST, *map(str, manifest["outputs"])}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def siblings(target: Path, pattern: str) -> list[Path]:
    """Return the hidden paths beside a target whose endings fit a pattern, sorted."""
    with writing(target.parent):
        return sorted(target.parent.glob(sibling(target, pattern).name))


def sibling(target: Path, ending: str) -> Path:
    """Return a hidden path beside the target; of fixed length, so that no name is too long for it."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.parent / f".grade-{digest}-{ending}"


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Hold the lock of a target; the file goes away with the lock."""
    path = sibling(target, "lock")
    with writing(path):
        descriptor = _lock(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _lock(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise OutputError(
                "another process is writing this result",
                where=str(path),
                hint="wait for it to end, or choose another --out",
            ) from None
        if _is_same_file(descriptor, path):
            return descriptor
        os.close(descriptor)  # its last holder took the file away between our two calls


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _clear_leftovers(target: Path) -> None:
    for path in siblings(target, "draft-*"):
        shutil.rmtree(path, ignore_errors=True)


def flush(folder: Path) -> None:
    """Have everything below a folder on the disk before it takes its place."""
    syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
    with _opened(folder) as descriptor:
        if syncfs is not None and syncfs(descriptor) == 0:
            return  # one call for thousands of files, where the system has it
    for path in (*folder.rglob("*"), folder):
        _flush_one(path)


def _flush_one(path: Path) -> None:
    with _opened(path) as descriptor:
        os.fsync(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _put(draft: Path, target: Path) -> None:
    """Let `draft` take the place of `target`; what stood there ends up at `draft`."""
    if not target.exists():
        draft.rename(target)
    elif not exchange(draft, target):
        _swap_by_renames(draft, target)
    _flush_one(target.parent)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths in one step.

    Returns:
        False where the system cannot (no `renameat2`, or a file system without exchange).

    Raises:
        OSError: The system refuses for another reason.
    """
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    arguments = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_EXCHANGE))
    if renameat2(*arguments) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _swap_by_renames(draft: Path, target: Path) -> None:
    """Exchange by three renames, where the system has no single step.

    Between the first two the target is missing; a process killed just there leaves the old
    result, whole, under a hidden name beside it.
    """
    aside = sibling(target, f"old-{secrets.token_hex(8)}")
    target.rename(aside)
    try:
        draft.rename(target)
    except OSError:
        aside.rename(target)
        raise
    aside.rename(draft)
