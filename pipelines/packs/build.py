"""Build the shipped packs: draw the program, cut each pack's tables, write tasks on them.

The flow of one pack: tables -> ground truth -> tasks -> card -> manifest. The ground truth is
computed from the tables as written, never from the generator's settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from grade.errors import ContractError
from pipelines.packs import files
from pipelines.packs.authoring import GroundTruth, find_ground_truth, read_toml, write_task
from pipelines.packs.card import write_card
from pipelines.packs.manifest import describe_pack, hash_files
from pipelines.packs.measures import describe_measures
from pipelines.packs.program.plan import load_plan
from pipelines.packs.program.world import draw_world
from pipelines.packs.sandbox import Sandbox

CONTENT: Final = Path(__file__).parent / "content"
"""Folder of the shipped packs' content: one folder per pack, and what they share."""

Json = dict[str, Any]
Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shared:
    """What all packs are made from."""

    seed: int
    world: Tables
    tracks: Json
    table_texts: Json


def build_packs(seed: int, out: Path) -> list[Path]:
    """Write every shipped pack into a folder of its own below `out`.

    The same seed gives the same bytes. A pack's folder is overwritten file by file; files that the
    build does not write are left alone and then fail the pack's check.

    Args:
        seed: Seed of the fictional program.
        out: Folder for the packs; made if missing.

    Returns:
        The folders written, one per pack, in the order of their names.
    """
    shared = _Shared(
        seed=seed,
        world=draw_world(load_plan(CONTENT / "program.toml"), seed),
        tracks=read_toml(CONTENT / "tracks.toml")["tracks"],
        table_texts=read_toml(CONTENT / "tables.toml"),
    )
    contents = sorted(path.parent for path in CONTENT.glob("*/pack.toml"))
    return [_build_pack(content, shared, out) for content in contents]


def _build_pack(content: Path, shared: _Shared, out: Path) -> Path:
    pack = read_toml(content / "pack.toml")
    folder = out / str(pack["pack_id"])
    folder.mkdir(parents=True, exist_ok=True)
    tables = _write_tables(pack, shared, folder)
    measures = (content / files.MEASURES).read_text(encoding="utf-8")
    with Sandbox(tables, measures) as sandbox:
        truth = find_ground_truth(read_toml(content / "ground_truth.toml"), sandbox)
    tasks = _write_tasks(content, shared, truth)
    written = {
        files.TASKS: files.jsonl_bytes({"pack_id": pack["pack_id"]} | task for task in tasks),
        files.GROUND_TRUTH: files.json_bytes(_truth_file(truth)),
        files.MEASURES: measures.encode(),
        files.CARD: _card(pack, shared, tables, measures, tasks).encode(),
    }
    for name, data in written.items():
        (folder / name).write_bytes(data)
    manifest = describe_pack(pack, seed=shared.seed, tables=tables, tasks=tasks)
    manifest["files"] = hash_files(folder, [*written, *(f"{name}.csv" for name in tables)])
    (folder / files.MANIFEST).write_bytes(files.json_bytes(manifest))
    return folder


def _write_tables(pack: Json, shared: _Shared, folder: Path) -> Tables:
    """Write a pack's tables and return them as read back, so that gold rests on what ships."""
    for name in pack["tables"]:
        frame, texts = shared.world[name], shared.table_texts[name]["columns"]
        if frame.columns != list(texts):
            raise ContractError(f"{name}.csv has other columns than tables.toml describes")
        (folder / f"{name}.csv").write_bytes(files.csv_bytes(frame))
    return {name: files.read_table(folder / f"{name}.csv") for name in pack["tables"]}


def _write_tasks(content: Path, shared: _Shared, truth: GroundTruth) -> list[Json]:
    drafts = [read_toml(path) for path in sorted((content / "tasks").glob("*.toml"))]
    return [write_task(draft, shared.tracks, truth) for draft in drafts]


def _truth_file(truth: GroundTruth) -> Json:
    return {name: {"value": value, "sql": truth.sql[name]} for name, value in truth.values.items()}


def _card(
    pack: Json, shared: _Shared, tables: Mapping[str, pl.DataFrame], measures: str, tasks: list[Json]
) -> str:
    return write_card(
        pack,
        seed=shared.seed,
        tables=tables,
        table_texts=shared.table_texts,
        measures=describe_measures(measures),
        tasks=tasks,
    )
