"""Open a result folder for reading: its tables, its manifest and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import pyarrow.parquet as pq
from pyarrow import ArrowInvalid

from grade.dictionary import DICTIONARY, describe_tables, type_name
from grade.errors import InputError
from grade.hints import nearest
from grade.schemas import RESULT_TABLES
from grade.table import Table
from pipelines.places import Place, Remote, open_dataset, read_frame
from pipelines.shared_results import Copy
from pipelines.table_files import read_schema
from pipelines.write import MANIFEST

if TYPE_CHECKING:
    import pyarrow.dataset as ds

_SUFFIX: Final = ".parquet"
_CONTRACTS: Final = {table.name: table for table in RESULT_TABLES}


@dataclass(frozen=True)
class ResultFolder:
    """A folder that `grade score` wrote, here or on an object store.

    Attributes:
        place: Where it stands, as the user named it.
        path: The folder on this machine; of a result on an object store, what was needed of it so far.
        manifest: Its manifest; empty for a folder of tables without one.
        files: The Parquet file of each table, in the order in which tables are made.
        copy: Brings files of an object store here; None for a folder of this machine.
    """

    place: Place
    path: Path
    manifest: Mapping[str, Any]
    files: Mapping[str, Path]
    copy: Copy | None = None

    @property
    def name(self) -> str:
        """What the result is called: the last part of its place."""
        return (
            str(self.place).rpartition("/")[2] if isinstance(self.place, Remote) else self.path.resolve().name
        )

    def file(self, name: str) -> Path:
        """Return where a file of the folder lies on this machine, if there is such a file."""
        return self.path / name if self.copy is None else self.copy.file(name)

    def whole(self) -> Path:
        """Return the folder on this machine with all of its files."""
        return self.path if self.copy is None else self.copy.whole()

    def frame(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Read a table, or some of its columns.

        Raises:
            InputError: The folder has no such table, or it cannot be read.
        """
        place = self._in_place(name) if columns else self._path(name)
        try:
            return read_frame(place, columns)
        except (OSError, ArrowInvalid, pl.exceptions.PolarsError) as fault:
            raise _unreadable(place, fault) from fault

    def frame_or_empty(self, table: Table) -> pl.DataFrame:
        """Read a table that older folders may lack; without it, return it without rows."""
        return self.frame(table.name) if table.name in self.files else table.empty()

    def dataset(self, name: str) -> ds.Dataset:
        """Open a table without reading its rows.

        Raises:
            InputError: The folder has no such table, or it cannot be read.
        """
        place = self._in_place(name)
        try:
            return open_dataset(place)
        except (OSError, ArrowInvalid) as fault:
            raise _unreadable(place, fault) from fault

    @cached_property
    def dictionary(self) -> pl.DataFrame:
        """What each column means, from our contracts, or from the file for a table that has none."""
        known = describe_tables(_CONTRACTS[name] for name in self.files if name in _CONTRACTS)
        foreign = [self._describe(name) for name in self.files if name not in _CONTRACTS]
        return pl.concat([known, *foreign])

    def _describe(self, name: str) -> pl.DataFrame:
        schema = pq.read_schema(self._path(name))
        about = {key.decode(): text.decode() for key, text in (schema.metadata or {}).items()}
        key = json.loads(about.get("grade.key", "[]"))
        dtypes = read_schema(self._path(name))
        rows = []
        for field in schema:
            notes = {key.decode(): text.decode() for key, text in (field.metadata or {}).items()}
            kind = type_name(dtypes[field.name])
            unit, note = notes.get("unit"), notes.get("note", "")
            row = about.get("grade.row", "")
            rows.append((name, row, field.name, kind, unit, field.name in key, field.nullable, None, note))
        return pl.DataFrame(rows, schema=DICTIONARY, orient="row")

    def _path(self, name: str) -> Path:
        self._require(name)
        return self.files[name]

    def _in_place(self, name: str) -> Place:
        """Where a table lies, without bringing it here."""
        self._require(name)
        return self.files[name] if self.copy is None else self.copy.source(f"{name}{_SUFFIX}")

    def _require(self, name: str) -> None:
        if name not in self.files:
            raise InputError(
                "the result folder has no such table",
                where=str(self.place),
                got=name,
                expected="one of " + ", ".join(self.files),
                hint=nearest(name, self.files),
            )


class _Fetched(Mapping[str, Path]):
    """Table files of an object store, each brought here when it is first asked for."""

    def __init__(self, copy: Copy, names: Mapping[str, str]) -> None:
        self._copy, self._names = copy, names

    def __getitem__(self, name: str) -> Path:
        return self._copy.file(self._names[name])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def open_result(place: Place) -> ResultFolder:
    """Open a result: a folder, or one on an object store, of which each table comes here when it is read.

    Raises:
        InputError: There is no such folder, or it holds no table of ours.
    """
    if isinstance(place, Remote):
        copy = Copy(place)
        found = {name.removesuffix(_SUFFIX): name for name in copy.current.files if _is_table(name)}
        names = {name: found[name] for name in _in_order(found)}
        return ResultFolder(
            place, copy.folder, _read_manifest(copy.file(MANIFEST)), _Fetched(copy, names), copy
        )
    return _open_folder(place)


def _is_table(name: str) -> bool:
    return name.endswith(_SUFFIX) and "/" not in name


def _open_folder(path: Path) -> ResultFolder:
    if not path.is_dir():
        raise InputError(
            "there is no such result folder",
            where=str(path),
            got="a file" if path.is_file() else "nothing there",
            expected="a folder that `grade score` wrote",
            hint="make one with: grade demo --out demo-result",
        )
    found = {file.stem: file for file in sorted(path.glob(f"*{_SUFFIX}"))}
    names = _in_order(found)
    if not any(name in _CONTRACTS for name in names):
        raise InputError(
            "the folder holds no table of a result",
            where=str(path),
            got=_listing(path),
            expected=f"{', '.join(list(_CONTRACTS)[:3])} and so on, as .parquet files",
            hint="name the folder that was given to --out",
        )
    return ResultFolder(path, path, _read_manifest(path / MANIFEST), {name: found[name] for name in names})


def _in_order(found: Iterable[str]) -> list[str]:
    """Table names in the order in which tables are made, others behind them."""
    order = {name: number for number, name in enumerate(_CONTRACTS)}
    return sorted(found, key=lambda name: (order.get(name, len(order)), name))


def require_tables(result: ResultFolder, tables: Iterable[str]) -> None:
    """Stop when the folder lacks a table that a command needs.

    Raises:
        InputError: Names what is missing.
    """
    missing = [name for name in tables if name not in result.files]
    if missing:
        raise InputError(
            "the result folder lacks tables that this command needs",
            where=str(result.place),
            got="no " + ", ".join(missing),
            hint="score again with this version of grade",
        )


def _read_manifest(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    try:
        manifest = json.loads(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise _unreadable(path, fault) from fault
    if not isinstance(manifest, dict):
        raise _unreadable(path, ValueError("it is not an object"))
    return manifest


def _unreadable(place: Place, fault: Exception) -> InputError:
    return InputError(
        "a file of the result folder cannot be read",
        where=str(place),
        got=str(fault).splitlines()[0] if str(fault) else type(fault).__name__,
        hint="the folder may be damaged; score again",
    )


def _listing(path: Path) -> str:
    names = sorted(entry.name for entry in path.iterdir())
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "") if names else "an empty folder"  # noqa: PLR2004
