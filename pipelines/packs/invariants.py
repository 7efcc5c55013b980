"""Load the invariants of packs: `sql/checks/packs/*.sql`, each selecting the rows that break it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import grade

_FOLDER: Final = Path("checks", "packs")
_PACKAGE: Final = Path(grade.__file__).parent
_ROOTS: Final = (_PACKAGE / "_sql", _PACKAGE.parent / "sql")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def list_invariants() -> list[str]:
    """Return the names of all invariants, sorted."""
    return sorted(path.stem for root in _ROOTS for path in (root / _FOLDER).glob("*.sql"))


def load_invariant(name: str) -> str | None:
    """Return the SQL of an invariant, None if there is none of that name."""
    if not _NAME.fullmatch(name):
        return None
    paths = [root / _FOLDER / f"{name}.sql" for root in _ROOTS]
    found = next((path for path in paths if path.is_file()), None)
    return found.read_text(encoding="utf-8") if found else None


def reads(sql: str) -> list[str]:
    r"""Return the tables that an invariant says it reads, in its header's `-- Reads:` line.

    >>> reads("-- name: one row per fault\n-- Reads: groups, students\nSELECT 1")
    ['groups', 'students']
    """
    header = re.search(r"^-- Reads: (.+)$", sql, re.MULTILINE)
    return [table.strip() for table in header[1].split(",")] if header else []
