"""Compare two result folders: which files differ, and in which rows or lines first."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Collection, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.differences import TableDifference, compare_tables
from grade.report.markdown import plain
from grade.schemas import RESULT_TABLES
from pipelines.manifest import list_outputs
from pipelines.table_files import scan_table
from pipelines.write import MANIFEST

_KEYS: Final = {f"{table.name}.parquet": table.key for table in RESULT_TABLES}
_COMPARED: Final = ("schema_version", "method", "policy", "stages")
_LONGEST: Final = 100


class Difference(NamedTuple):
    """A file that is not as it should be.

    Attributes:
        file: Its path in the folder.
        what: How it differs, in words.
        details: The first places where it does.
    """

    file: str
    what: str
    details: tuple[str, ...] = ()


def compare_folders(
    recorded: Path, derived: Path, *, n_shown: int, ignored: Mapping[str, Collection[str]]
) -> list[Difference]:
    """Compare a result folder with what it should be; the manifests are not among the files.

    Tables are equal when their rows are, whatever wrote their bytes.

    Args:
        recorded: The folder to look into.
        derived: What it should be.
        n_shown: Most rows or lines to show per file.
        ignored: Columns of tables, by file, that may differ.
    """
    here, there = (set(list_outputs(folder)) - {MANIFEST} for folder in (recorded, derived))
    found = [Difference(name, "the inputs do not give such a file") for name in here - there]
    found += [Difference(name, "missing; the inputs give it") for name in there - here]
    for name in here & there:
        found += _compare(name, recorded / name, derived / name, n_shown, ignored.get(name, ()))
    return sorted(found)


def compare_manifests(recorded: Mapping[str, Any], derived: Mapping[str, Any]) -> list[Difference]:
    """Compare what two manifests say of method, policy and counts."""
    here, there = (_leaves({name: one.get(name) for name in _COMPARED}) for one in (recorded, derived))
    details = [
        f"{name}: {_cell(here.get(name))}, derived {_cell(there.get(name))}"
        for name in sorted({*here, *there})
        if here.get(name) != there.get(name)
    ]
    what = f"{len(details)} entr{'ies differ' if len(details) > 1 else 'y differs'}"
    return [Difference(MANIFEST, what, tuple(details))] if details else []


def _leaves(value: Any, prefix: str = "") -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Mapping):
        return {prefix: value}
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        flat |= _leaves(inner, f"{prefix}.{name}" if prefix else name)
    return flat


def _compare(name: str, here: Path, there: Path, n_shown: int, ignored: Collection[str]) -> list[Difference]:
    if filecmp.cmp(here, there, shallow=False):
        return []
    if name.endswith(".parquet"):
        return _compare_tables(name, here, there, n_shown, ignored)
    return _compare_texts(name, here, there, n_shown)


def _compare_tables(
    name: str, here: Path, there: Path, n_shown: int, ignored: Collection[str]
) -> list[Difference]:
    try:
        tables = [scan_table(path).drop(ignored, strict=False) for path in (here, there)]
        found = compare_tables(*tables, key=_KEYS.get(name, ()), n_shown=n_shown)
    except (OSError, pl.exceptions.PolarsError) as fault:
        return [Difference(name, f"cannot be read: {_cell(str(fault))}")]
    if found.columns:
        return [Difference(name, f"other columns: {', '.join(found.columns)}")]
    if not found.n_rows:
        return []
    what = f"{found.n_rows:,} of {found.n_total:,} rows differ{'s' * (found.n_total == 1)}"
    return [Difference(name, what, tuple(_told_rows(found)))]


def _told_rows(found: TableDifference) -> Iterator[str]:
    key = [name for name in found.first.columns if name not in {"column", "recorded", "derived"}]
    for row in found.first.rows(named=True):
        place = " ".join(f"{name}={_cell(row[name])}" for name in key if row[name] is not None)
        about = f"{row['column']} " if row["column"] else ""
        yield f"{place}: {about}{_cell(row['recorded'])}, derived {_cell(row['derived'])}"


def _compare_texts(name: str, here: Path, there: Path, n_shown: int) -> list[Difference]:
    texts = [path.read_text(encoding="utf-8", errors="replace").split("\n") for path in (here, there)]
    pairs = [
        (number, one, other)
        for number, (one, other) in enumerate(zip_longest(*texts), start=1)
        if one != other
    ]
    details = [
        f"line {number}: {_cell(one)}, derived {_cell(other)}" for number, one, other in pairs[:n_shown]
    ]
    return [Difference(name, f"{len(pairs):,} lines differ" if pairs else "other bytes", tuple(details))]


def _cell(value: object) -> str:
    """A value on one line, without anything that a terminal would act on."""
    if value is None:
        return "nothing"
    text = plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
