"""Export to a notice: one line per model, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from grade.errors import InputError
from pipelines.exports.tidy import exporting

_NEEDED = "overall_scores"


def export_noticeboard(results: Path, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write `notice.txt`.

    Args:
        results: The result folder.
        out: The folder to write.
        tables: What `--table` names; a notice has one table only.
    """
    if tables and list(tables) != [_NEEDED]:
        raise InputError("a notice shows one table only", got=", ".join(tables), expected=_NEEDED)
    with exporting(results, out, [_NEEDED], to="noticeboard") as export:
        scores = pl.concat(export.frames(_NEEDED)).sort("composite", descending=True, nulls_last=True)
        rows = scores.select("model_id", "composite").rows()
        lines = [f"{'-' if score is None else f'{score:.2f}':>4}  {model}" for model, score in rows]
        (export.folder / "notice.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
