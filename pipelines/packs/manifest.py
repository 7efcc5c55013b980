"""The manifest of a pack: what it is, what it holds, and a hash of each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.packs import files

Json = dict[str, Any]


def describe_pack(
    pack: Json, *, seed: int, tables: Mapping[str, pl.DataFrame], tasks: Sequence[Json]
) -> Json:
    """Return a manifest without hashes: identity, origin, counts, and the invariants that hold.

    Args:
        pack: The pack's description, `pack.toml` as read.
        seed: Seed of the build.
        tables: The pack's tables, by name.
        tasks: The pack's tasks.
    """
    counted = ("gold_facts", "gold_insights", "required_limitations", "forbidden_claims")
    return {
        **{name: pack[name] for name in ("pack_id", "title", "version", "license")},
        "simulated": True,
        "seed": seed,
        "counts": {
            "tasks": len(tasks),
            **{name: sum(len(task[name]) for task in tasks) for name in counted},
            "rows": {name: frame.height for name, frame in tables.items()},
        },
        "checks": pack["checks"],
    }


def hash_files(folder: Path, names: Sequence[str]) -> Json:
    """Return the hash and size of each file, by name, for `files` of the manifest."""
    data = {name: (folder / name).read_bytes() for name in sorted(names)}
    return {name: {"sha256": files.sha256(raw), "bytes": len(raw)} for name, raw in data.items()}
