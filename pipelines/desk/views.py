"""The documented views of a result: queries below `sql/views`, each over the tables that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grade.db import list_sql, load_sql, reads

_FOLDER: Final = "views"
_BASES: Final = {"ranking": "leaderboard", "usage": "usage"}
"""Queries of the pipeline that are views here, too: name here -> file below `sql/`."""

_ROW: Final = re.compile(r"^-- \w+: (.+)$", re.MULTILINE)
_COLUMN: Final = re.compile(r"^-- Column (\w+): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class View:
    """A documented query that a session offers as a view.

    Attributes:
        name: The view's name.
        sql: Its query.
        row: What one row is.
        notes: Its own columns' notes; other columns mean what they mean in the tables.
    """

    name: str
    sql: str
    row: str
    notes: Mapping[str, str]


def find_views(tables: Iterable[str]) -> Iterator[View]:
    """Yield the views whose tables the folder has, those that others read first."""
    known = set(tables)
    files = _BASES | {name.removeprefix(f"{_FOLDER}/"): name for name in list_sql(_FOLDER)}
    for name, file in files.items():
        if known.issuperset(reads(file)):
            text = load_sql(file)
            row = _ROW.search(text)
            told = row.group(1).removeprefix("one row per ").rstrip(".") if row else ""
            yield View(name, text, told, dict(_COLUMN.findall(text)))
            known.add(name)
