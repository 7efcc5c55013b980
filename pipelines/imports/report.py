"""Tell what an import did: a summary to read, and a file of all that was skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from grade.imports.reasons import explain_skip
from pipelines.imports.output import replaced_file
from pipelines.imports.run import Imported

_MARKER: Final = "grade_import_report"


def summary_lines(done: Imported) -> list[str]:
    """Return the summary: what was read and written, and what was skipped by reason."""
    rows = [("records read", done.n_read, ""), ("runs written", done.n_written, _formats(done))]
    if done.n_empty:
        rows.append(("  empty answers", done.n_empty, "scored as silence"))
    rows.append(("skipped", done.counts.total(), ""))
    rows += [(f"  {reason}", count, explain_skip(reason)) for reason, count in sorted(done.counts.items())]
    return [f"{name:<22}{count:>9,}  {note}".rstrip() for name, count, note in rows]


def write_report(done: Imported, path: Path) -> None:
    """Write a line on the whole import, one for each file, and one for each skipped record.

    Raises:
        OutputError: The path holds something else, or cannot be written.
    """
    head = {
        _MARKER: 1,
        "n_read": done.n_read,
        "n_written": done.n_written,
        "skipped": dict(sorted(done.counts.items())),
    }
    lines = [head, *({"file": name, "format": kind, "sha256": digest} for name, kind, digest in done.files)]
    lines += [one._asdict() for one in done.skipped]
    with replaced_file(path, marker=_MARKER) as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n")


def _formats(done: Imported) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(done.n_by_format.items()))
