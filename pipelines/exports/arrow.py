"""Export to Arrow IPC: what R, Julia and others map without conversion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from pipelines.exports.tidy import exporting
from pipelines.places import Place


def export_arrow(results: Place, out: Path, tables: Sequence[str] | None = None) -> None:
    """Write each table as `<table>.arrow`; see `pipelines.exports.tidy.exporting`."""
    with exporting(results, out, tables, to="arrow") as export:
        for name in export.tables:
            schema = export.result.dataset(name).schema
            path = str(export.folder / f"{name}.arrow")
            options = ipc.IpcWriteOptions(compression="zstd")
            with pa.OSFile(path, "wb") as sink, ipc.new_file(sink, schema, options=options) as writer:
                for batch in export.batches(name):
                    writer.write_batch(batch)
