"""Ids that a reader takes for the same: they differ by white space, case, Unicode form or invisible marks.

Ids are compared as they are, so that no two things are ever merged by a guess; what looks alike is told.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_INVISIBLE: Final = r"[\x{200b}-\x{200f}\x{2060}-\x{2064}\x{feff}\x{00ad}]"


def look(text: pl.Expr) -> pl.Expr:
    """Return what an id looks like: NFKC, lower case, single spaces, nothing invisible.

    Examples:
        >>> pl.select(look(pl.Series(["Acme/A ", "acme/a", "e\u0301"]))).to_series().to_list()
        ['acme/a', 'acme/a', 'é']
    """
    plain = text.str.replace_all(_INVISIBLE, "").str.normalize("NFKC").str.to_lowercase()
    return plain.str.replace_all(r"\s+", " ").str.strip_chars()


def find_look_alikes(ids: pl.Series) -> list[list[str]]:
    """Return the groups of different ids that look the same, each sorted, in order.

    Examples:
        >>> find_look_alikes(pl.Series(["a", "A", "b", "a", "c ", "c"]))
        [['A', 'a'], ['c', 'c ']]
    """
    distinct = ids.unique().sort().alias("id").to_frame()
    alike = distinct.group_by(look(pl.col("id")).alias("look"), maintain_order=True).agg("id")
    groups: list[list[str]] = alike.filter(pl.col("id").list.len() > 1)["id"].to_list()
    return groups


def unknown_task(tasks: pl.DataFrame) -> pl.Expr:
    """Return the words for a run whose task_id no task has; a task that looks the same is named.

    Args:
        tasks: TASKS, or its column task_id.
    """
    known = tasks.select(look=look(pl.col("task_id")), task_id="task_id").unique("look", maintain_order=True)
    hints = {
        one: f"; '{name}' looks the same, but ids are compared as they are" for one, name in known.rows()
    }
    hint = look(pl.col("task_id")).replace_strict(hints, default="", return_dtype=pl.String)
    return pl.format("no task of the catalogue has the id '{}'{}", "task_id", hint)
