"""Put decisions and findings into the result files and scorecards of a folder."""

from __future__ import annotations

import json
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
from pipelines.table_files import scan_table


def tell_decisions(folder: Path, decisions: pl.DataFrame) -> None:
    """Write what was decided and found into `results/` and `scorecards/`, in place of what they said.

    Args:
        folder: A result folder with findings.parquet.
        decisions: DECISIONS.
    """
    noted = note_findings(scan_table(folder / "findings.parquet"))
    of_models = noted.partition_by("model_id", as_dict=True, maintain_order=True)
    for (model_id,), own in decisions.partition_by("model_id", as_dict=True, maintain_order=True).items():
        stem = file_stem(str(model_id))
        _tell_result(folder / "results" / f"{stem}.json", own)
        found = of_models.get((model_id,), noted.clear())
        _tell_scorecard(folder / "scorecards" / f"{stem}.md", own, found)


def _tell_result(path: Path, decisions: pl.DataFrame) -> None:
    result = json.loads(path.read_text(encoding="utf-8"))
    result["extensions"]["decision"] = decision_extension(decisions)
    path.write_text(render(result), encoding="utf-8")


def _tell_scorecard(path: Path, decisions: pl.DataFrame, found: pl.DataFrame) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(
        with_sections(text, decision_section(decisions), findings_section(found)), encoding="utf-8"
    )
