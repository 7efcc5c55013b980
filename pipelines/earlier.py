"""Rows of earlier results: what has not changed is taken from there instead of scored again.

A result is taken from only where its manifest vouches for the files, by their hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from grade.schemas import GROUP_KEY, GROUP_TABLES, GROUPS
from pipelines.table_files import read_schema, read_table, scan_table
from pipelines.write import MANIFEST

VOUCHED: Final = "group_tables"
"""Member of a manifest: the hash of each file whose rows may be taken, by table."""

_TAKEN: Final = tuple(table for table in GROUP_TABLES if table is not GROUPS)


@dataclass(frozen=True, slots=True)
class Earlier:
    """Groups of earlier results, with where their rows lie.

    Attributes:
        folders: Result folders, finished or not.
        groups: The columns of GROUPS and `folder_no`, one row per fingerprint.
    """

    folders: tuple[Path, ...]
    groups: pl.DataFrame

    def known(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Return the groups whose scores are there: model_id, task_id, folder_no."""
        found = groups.join(self.groups, on=[*GROUP_KEY, "fingerprint"], maintain_order="left")
        return found.select(*GROUP_KEY, "folder_no")

    def take(self, known: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """Return the rows of known groups, of every table but GROUPS itself."""
        return {table.name: pl.concat([table.empty(), *self._pieces(table.name, known)]) for table in _TAKEN}

    def _pieces(self, name: str, known: pl.DataFrame) -> list[pl.DataFrame]:
        pieces = []
        for (folder_no,), groups in known.group_by("folder_no", maintain_order=True):
            scan = scan_table(self.folders[int(str(folder_no))] / f"{name}.parquet")
            # The range of models lets the reader skip row groups; the files are sorted by key.
            models = groups["model_id"]
            near = scan.filter(pl.col("model_id").is_between(pl.lit(models.min()), pl.lit(models.max())))
            wanted = groups.select(GROUP_KEY).lazy()
            pieces.append(near.join(wanted, on=list(GROUP_KEY), how="semi", maintain_order="left").collect())
        return pieces


def find_earlier(folders: Sequence[Path]) -> Earlier:
    """Look for groups in folders that may or may not hold a result of this kind."""
    frames = [GROUPS.empty().with_columns(folder_no=pl.lit(None, pl.Int64))]
    kept: list[Path] = []
    for folder in folders:
        groups = read_groups(folder)
        if groups is not None:
            frames.append(groups.with_columns(folder_no=pl.lit(len(kept), pl.Int64)))
            kept.append(folder)
    known = pl.concat(frames).unique([*GROUP_KEY, "fingerprint"], keep="first", maintain_order=True)
    return Earlier(tuple(kept), known)


def read_groups(folder: Path) -> pl.DataFrame | None:
    """Return GROUPS of a folder whose rows may be taken; None where there is no such, or it is damaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        if manifest[VOUCHED] != hash_group_tables(folder):
            return None
        for table in GROUP_TABLES:
            if read_schema(folder / f"{table.name}.parquet") != table.dtypes:
                return None
        return read_table(folder / f"{GROUPS.name}.parquet")
    except (OSError, ValueError, LookupError, TypeError, pl.exceptions.PolarsError):
        return None  # not ours, or not whole: everything is scored afresh


def hash_group_tables(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of the file of each table whose rows may be taken later, by table.

    Raises:
        OSError: A file is missing or cannot be read.
    """
    return {table.name: _hash(folder / f"{table.name}.parquet") for table in GROUP_TABLES}


def vouch(folder: Path) -> dict[str, Any]:
    """Return what a manifest says so that rows may be taken from its folder."""
    return {VOUCHED: hash_group_tables(folder)}


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
