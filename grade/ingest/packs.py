"""Pack ids: one spelling for every pack, whatever its file is called."""

from __future__ import annotations

from typing import Final

TASKS_FILE: Final = "tasks.jsonl"
"""Name of the task file of a pack that has a folder of its own."""


def pack_id_of(name: str) -> str:
    """Return the pack id that a name stands for.

    Examples:
        >>> pack_id_of("operations_pack"), pack_id_of("pack_operations"), pack_id_of("operations")
        ('pack_operations', 'pack_operations', 'pack_operations')
    """
    return f"pack_{name.removeprefix('pack_').removesuffix('_pack')}"


def pack_id_of_file(path: str, *, manifest_pack_id: str | None = None) -> str:
    """Return the pack id of a task file without `pack_id` fields.

    Args:
        path: The file, its parts joined by "/".
        manifest_pack_id: The pack id of the manifest beside it, if there is one.

    Examples:
        >>> pack_id_of_file("packs/outcomes/tasks.jsonl"), pack_id_of_file("packs/outcomes_pack.jsonl")
        ('pack_outcomes', 'pack_outcomes')
    """
    if manifest_pack_id is not None:
        return pack_id_of(manifest_pack_id)
    folder, _, name = path.rpartition("/")
    if name == TASKS_FILE and folder.rpartition("/")[2]:
        return pack_id_of(folder.rpartition("/")[2])
    return pack_id_of(name.removesuffix(".jsonl"))
