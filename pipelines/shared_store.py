"""Add runs to a store wherever it lies; to one on an object store by way of a folder of this machine.

New parts and indexes are made in a temporary folder, as in a store of this machine, and then
uploaded under names that nobody else uses; `store.json` comes last, so that readers see the store
as it was or as it is now. It is exchanged with a ticket (`pipelines.tickets`) and only where it is
still the one that the addition was made from, so that no addition takes the place of another.
No other object is ever changed or removed.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from grade.errors import OutputError
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from pipelines.files import Found
from pipelines.ingest import Ingested, ingest
from pipelines.places import Place, Remote, asking
from pipelines.store import HEAD, open_store, read_head
from pipelines.tickets import holding_ticket


def ingest_into(
    paths: Sequence[str | Found],
    place: Place,
    *,
    replaces: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int], object] | None = None,
) -> Ingested:
    """Add the runs of some files to a store; see `pipelines.ingest.ingest`.

    Raises:
        InputError: A path names nothing, or the store is damaged.
        OutputError: The store cannot be written, or somebody else added to it meanwhile.
    """
    if isinstance(place, Path):
        return ingest(paths, place, replaces=replaces, limits=limits, on_progress=on_progress)
    with TemporaryDirectory(prefix="grade-store-") as name:
        folder = Path(name)
        generation = _download_head(place, folder)
        done = ingest(paths, folder, replaces=replaces, limits=limits, moves=True, on_progress=on_progress)
        _upload(folder, place, generation)
    return replace(done, store=replace(done.store, folder=place))


def _download_head(place: Remote, folder: Path) -> int:
    """Bring the head and indexes of a store here; 0 where there is no store yet, else its generation."""
    with asking(place):
        if not (place / HEAD).exists():
            return 0
    store = open_store(place)
    with asking(place):
        head = read_head(place)
        for name in (head["index"], head["rejects"], HEAD):
            (folder / name).write_bytes((place / name).read_bytes())
    return store.generation


def _upload(folder: Path, place: Remote, generation: int) -> None:
    """Put what is new beside what is there, and exchange the head."""
    head = read_head(folder)
    indexes = {head[kind]: f"{kind}-{secrets.token_hex(8)}.parquet" for kind in ("index", "rejects")}
    with asking(place):
        for path in sorted(folder.glob("*.parquet")):
            (place / indexes.get(path.name, path.name)).upload(path)
    named = head | {kind: indexes[head[kind]] for kind in ("index", "rejects")}
    with holding_ticket(place):
        now = read_head(place)["generation"] if (place / HEAD).exists() else 0
        if now != generation:
            raise OutputError(
                "somebody else added to this store meanwhile",
                where=str(place),
                hint="add again; nothing of this attempt is in the store",
            )
        (place / HEAD).write_bytes(json.dumps(named, indent=1, ensure_ascii=False).encode() + b"\n")
