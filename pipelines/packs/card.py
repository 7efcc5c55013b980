"""The dataset card of a pack: what is in it, what was planted, how each measure is defined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

Json = dict[str, Any]

_LIMITS: Final = (
    "The program, its people and its figures are invented. Nothing here says anything about real "
    "students, schools or studies, and one quarter of one program supports no claim about another."
)


def write_card(
    pack: Json,
    *,
    seed: int,
    tables: Mapping[str, pl.DataFrame],
    table_texts: Json,
    measures: Mapping[str, str],
    tasks: list[Json],
) -> str:
    """Return the card as Markdown.

    Args:
        pack: The pack's description, `pack.toml` as read.
        seed: Seed of the build.
        tables: The pack's tables, by name.
        table_texts: What a row and each column of a table means, `tables.toml` as read.
        measures: Definition of each measure, by name.
        tasks: The pack's tasks.
    """
    parts = [
        f"# {pack['title']}",
        pack["summary"],
        _facts(pack, seed, tasks),
        "## Planted signals",
        "\n".join(f"- {signal}" for signal in pack["signals"]),
        "## Files",
        *[_file(name, table_texts[name], frame) for name, frame in tables.items()],
        "## Measures",
        "Each measure is a view of `measures.sql`; every gold value is read off a measure or a table.",
        _table(("measure", "definition"), [(f"`{name}`", text) for name, text in measures.items()]),
        "## Tasks",
        _table(
            ("task", "track", "title"),
            [(task["task_id"], str(task["track"]), task["title"]) for task in tasks],
        ),
        "## Limits",
        _LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def _facts(pack: Json, seed: int, tasks: list[Json]) -> str:
    tracks = ", ".join(str(track) for track in sorted({task["track"] for task in tasks}))
    rows = [
        ("pack", f"`{pack['pack_id']}`, version {pack['version']}"),
        ("license", pack["license"]),
        ("origin", f"simulated; drawn with seed {seed}"),
        ("tracks", tracks),
        ("tasks", str(len(tasks))),
        ("gold facts", str(sum(len(task["gold_facts"]) for task in tasks))),
    ]
    return _table(("", ""), rows)


def _file(name: str, texts: Json, frame: pl.DataFrame) -> str:
    rows = [(f"`{column}`", text) for column, text in texts["columns"].items()]
    size = "1 row" if frame.height == 1 else f"{frame.height} rows"
    return f"### {name}.csv\n\nOne row per {texts['row']}; {size}.\n\n" + _table(("column", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
