"""Results on an object store: replaced whole or not at all, as folders of this machine are.

    PREFIX/current.json              names the version that stands, and the hash of each of its files
    PREFIX/versions/VERSION/...      a result, file by file as in a folder
    PREFIX/slices/ATTEMPT/...        what the workers of a cluster have made, while they work
    PREFIX/tickets/...               see `pipelines.tickets`

A version is uploaded under a name that nobody else uses and never changed; `current.json` comes
last. The version that stood before stays until the next one is written, so that whoever reads it
can end.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Final, Self

from grade.errors import InputError, OutputError
from pipelines.manifest import list_outputs
from pipelines.places import Remote, asking
from pipelines.progress import Progress, Silent
from pipelines.tickets import TICKETS, holding_ticket
from pipelines.write import MARKER, writing

CURRENT: Final = "current.json"
"""The object that names everything else of a result, and is exchanged last."""

SLICES: Final = "slices"
"""Where the workers of a cluster put what they make."""

_VERSIONS: Final = "versions"
_NAME: Final = "[0-9a-f]{32}"
_OURS: Final = re.compile(rf"{re.escape(CURRENT)}|({_VERSIONS}|{SLICES}|{TICKETS})/{_NAME}(/.*)?")
_AT_A_TIME: Final = 8
_SILENT: Final = Silent()


@dataclass(frozen=True, slots=True)
class Current:
    """What `current.json` says.

    Attributes:
        version: Name of the version that stands; empty where there is none yet.
        files: SHA-256 of each file of the version, by its path in it.
    """

    version: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, place: Remote) -> Self:
        """Read what stands at a place; an empty one where nothing does.

        Raises:
            InputError: The object is not ours, or damaged.
            OSError: The store refuses.
        """
        if not (place / CURRENT).exists():
            return cls()
        try:
            return cls(*_understood(json.loads((place / CURRENT).read_bytes())))
        except (ValueError, LookupError, TypeError) as fault:
            raise InputError(
                "this does not name a version of a result",
                where=str(place / CURRENT),
                got=str(fault),
                expected="what `grade score --out s3://...` wrote",
            ) from fault


def _understood(said: Any) -> tuple[str, dict[str, str]]:  # noqa: ANN401
    """The version and its files, which must lie below it."""
    version, files = str(said["version"]), {str(name): str(said["files"][name]) for name in said["files"]}
    if said["format"] != MARKER or not re.fullmatch(_NAME, version):
        raise ValueError(f"format {said['format']!r}, version {version!r}")
    for name in files:
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            raise ValueError(f"a file outside: {name!r}")
    return version, files


class Copy:
    """A result of an object store, brought to this machine file by file, as it is needed.

    What came here goes away when the program ends.

    Args:
        place: Where the result stands; what stands there now is what is read.

    Raises:
        InputError: There is no result.
        OutputError: The store refuses.
    """

    def __init__(self, place: Remote) -> None:
        self.place = place
        with asking(place):
            self.current = Current.read(place)
        if not self.current.version:
            raise InputError(
                "there is no such result",
                where=str(place),
                got=f"no {CURRENT} there",
                expected="a prefix that `grade score` or `grade rescore` wrote to with --out",
            )
        scratch = mkdtemp(prefix="grade-result-")
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
        self.folder = Path(scratch) / "result"
        self.folder.mkdir()

    def source(self, name: str) -> Remote:
        """Return where a file lies on the object store."""
        return _of_version(self.place, self.current.version) / name

    def file(self, name: str) -> Path:
        """Return where a file lies on this machine; it is brought there the first time.

        Raises:
            InputError: It is not what was written, or the result was replaced twice meanwhile.
        """
        path = self.folder / name
        if not path.exists() and name in self.current.files:
            _bring_one(self.place, self.current, name, path)
        return path

    def whole(self) -> Path:
        """Bring all files here, and return the folder."""
        _each(self.file, self.current.files)
        return self.folder


def bring(place: Remote, current: Current, names: Iterable[str], folder: Path) -> None:
    """Bring files of a version into a folder of this machine; names that it does not have are left out.

    Raises:
        InputError: A file cannot be read, or is not what was written.
    """
    _each(lambda name: _bring_one(place, current, name, folder / name), current.files.keys() & set(names))


@contextmanager
def publishing(
    place: Remote, *, base: Current | None = None, progress: Progress = _SILENT
) -> Iterator[tuple[Current, Path]]:
    """Yield what stands at a place and an empty folder to write into; in the end it is what stands there.

    Nothing changes at the place when the body raises.

    Args:
        place: Where the result shall stand.
        base: What the new result is made from, if it was read before.
        progress: Where is told how far the upload is.

    Raises:
        OutputError: Something else lies there, somebody else replaced the result meanwhile, or the
            store refuses.
    """
    with holding_ticket(place):  # also tells at once when nothing may be written there
        _require_ours(place)
        before = Current.read(place) if base is None else base
    with TemporaryDirectory(prefix="grade-result-") as scratch:
        folder = Path(scratch) / "result"
        with writing(folder):
            folder.mkdir()
            yield before, folder
        _publish(folder, place, before, progress)


def _publish(folder: Path, place: Remote, before: Current, progress: Progress) -> None:
    version = secrets.token_hex(16)
    target = _of_version(place, version)
    files = {name: _hash(folder / name) for name in list_outputs(folder)}
    step = progress.step("uploading", unit="files", total=len(files))
    with _removed_on_failure(target), step as advance:
        _each(lambda name: (target / name).upload(folder / name), files, advance)
    with holding_ticket(place):
        with _removed_on_failure(target):
            _require_unchanged(place, before)
            # Whatever is there by now was begun before, and can no longer become what stands.
            there = {_top(name) for name in place.names() if name.startswith((_VERSIONS, SLICES))}
        now = {"format": MARKER, "version": version, "files": files}
        (place / CURRENT).write_bytes(json.dumps(now, indent=1).encode() + b"\n")
    for name in sorted(there - {f"{_VERSIONS}/{version}", f"{_VERSIONS}/{before.version}"}):
        with suppress(OSError):  # the result stands; the next one who writes clears away, too
            (place / name).remove()


def _require_unchanged(place: Remote, before: Current) -> None:
    if Current.read(place).version != before.version:
        raise OutputError(
            "somebody else replaced this result meanwhile",
            where=str(place),
            hint="nothing of this attempt is there; try again",
        )


@contextmanager
def _removed_on_failure(target: Remote) -> Iterator[None]:
    try:
        with asking(target):
            yield
    except BaseException:
        with suppress(OSError):
            target.remove()
        raise


def _each(
    work: Callable[[str], object], names: Iterable[str], advance: Callable[[int], object] = bool
) -> None:
    """Do something for every name, some at a time; nothing is begun any more after a failure."""
    pool = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="grade")
    try:
        for _ in pool.map(work, sorted(names)):
            advance(1)
    finally:
        pool.shutdown(cancel_futures=True)


def _of_version(place: Remote, version: str) -> Remote:
    return place / _VERSIONS / version


def _top(name: str) -> str:
    return "/".join(name.split("/")[:2])


def _require_ours(place: Remote) -> None:
    with asking(place):
        foreign = [name for name in place.names() if not _OURS.fullmatch(name)]
    if foreign:
        raise OutputError(
            "objects lie here that are not an earlier result",
            where=str(place),
            got=", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""),  # noqa: PLR2004
            expected="a prefix without objects, or one that this command wrote to",
            hint="choose another --out, or move these objects away",
        )


def _bring_one(place: Remote, current: Current, name: str, path: Path) -> None:
    source = _of_version(place, current.version) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        source.download(draft)
    except OSError as fault:
        raise InputError(
            "a file of the result cannot be read",
            where=str(source),
            got=str(fault),
            hint="if the result was replaced meanwhile, begin again",
        ) from fault
    if _hash(draft) != current.files[name]:
        raise InputError(
            "a file of the result is not what was written",
            where=str(source),
            got=f"SHA-256 {_hash(draft)}",
            expected=current.files[name],
            hint="score again",
        )
    draft.replace(path)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
