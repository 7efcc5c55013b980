"""What the scores of a group depend on, as one hash: runs, gold, pack data, verdicts, method and code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

import grade
import pipelines
from grade.db import Database, list_all_sql, load_sql
from grade.schemas import GROUPS, RUN_KEY, check
from grade.settings import Settings
from pipelines.catalogue import Catalogue
from pipelines.manifest import engine_versions

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def fingerprint_groups(
    index: pl.DataFrame,
    verdicts: pl.DataFrame,
    catalogue: Catalogue,
    settings: Settings,
    *,
    database: Database,
) -> pl.DataFrame:
    """Return GROUPS: a fingerprint for every group; equal fingerprints mean equal scores.

    Args:
        index: The run key and content_hash of every run, of known tasks.
        verdicts: VERDICTS.
        catalogue: Gold and pack data.
        settings: The method's settings.
        database: An open database.
    """
    frames = {
        "runs": index.select(*RUN_KEY, "content_hash"),
        "task_hashes": _task_hashes(catalogue),
        "verdicts": verdicts,
    }
    method = f"{code_digest()}:{engine_versions()}:{settings.digest}"
    return check(
        database.query("group_fingerprints", frames, {"method": method}), GROUPS, where="fingerprint_groups"
    )


@cache
def code_digest() -> str:
    """Return a hash of this program: a result of another version is never taken for one of this."""
    digest = hashlib.sha256()
    for text in (*_sources(Path(grade.__file__).parent), *_sources(Path(pipelines.__file__).parent)):
        digest.update(text)
    for name in list_all_sql():
        digest.update(load_sql(name).encode())
    return digest.hexdigest()


def _sources(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes()


def _task_hashes(catalogue: Catalogue) -> pl.DataFrame:
    data = {
        pack: hashlib.sha256(repr((headers, names)).encode()).hexdigest()
        for pack, headers, names in _pack_data(catalogue)
    }
    rows = [
        (
            task.task_id,
            hashlib.sha256(_ENCODER.encode(task) + data.get(task.pack_id, "").encode()).hexdigest(),
        )
        for task in catalogue.tasks
    ]
    return pl.DataFrame(rows, schema={"task_id": pl.String, "task_hash": pl.String}, orient="row")


def _pack_data(catalogue: Catalogue) -> Iterator[tuple[str, list[tuple[str, ...]], list[str]]]:
    for pack in sorted({task.pack_id for task in catalogue.tasks}):
        headers = catalogue.headers.filter(pl.col("pack_id") == pack).sort(pl.all())
        names = catalogue.identifiers.filter(pl.col("pack_id") == pack)["identifier"].sort()
        yield pack, headers.rows(), names.to_list()
