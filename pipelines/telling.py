"""Put decisions and findings into the result files and scorecards of a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from grade.report.decisions import (
    decision_extension,
    decision_section,
    findings_section,
    note_findings,
    with_sections,
)
from grade.report.filenames import file_stem
from grade.report.result_json import render
from grade.report.rows import Row, rows_by_model
from pipelines.table_files import scan_table


def tell_decisions(folder: Path, decisions: pl.DataFrame) -> None:
    """Write what was decided and found into `results/` and `scorecards/`, in place of what they said.

    Args:
        folder: A result folder with findings.parquet.
        decisions: DECISIONS.
    """
    noted = note_findings(scan_table(folder / "findings.parquet"))
    found = rows_by_model(noted)
    for model_id, own in rows_by_model(decisions).items():
        stem = file_stem(model_id)
        _tell_result(folder / "results" / f"{stem}.json", own)
        _tell_scorecard(folder / "scorecards" / f"{stem}.md", own, found[model_id])


def _tell_result(path: Path, decisions: Sequence[Row]) -> None:
    result = json.loads(path.read_text(encoding="utf-8"))
    result["extensions"]["decision"] = decision_extension(decisions)
    path.write_text(render(result), encoding="utf-8")


def _tell_scorecard(path: Path, decisions: Sequence[Row], found: Sequence[Row]) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(
        with_sections(text, decision_section(decisions), findings_section(found)), encoding="utf-8"
    )
