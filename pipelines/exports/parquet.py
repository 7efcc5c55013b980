"""Export to Parquet: the files as they are, with schema version and notes in their metadata."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from pipelines.exports.tidy import exporting


def export_parquet(results: Path, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write each table as `<table>.parquet`; see `pipelines.exports.tidy.exporting`."""
    with exporting(results, out, tables, to="parquet") as export:
        for name in export.tables:
            shutil.copyfile(export.result.files[name], export.folder / f"{name}.parquet")
