"""The tasks of the packs that ship, as plain objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_tasks(packs: Path) -> list[dict[str, Any]]:
    """Return every task below a folder of packs, sorted by its file."""
    lines = [
        (path.parent.name, line)
        for path in sorted(packs.glob("*/tasks.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    return [{"pack_id": pack} | json.loads(line) for pack, line in lines]
