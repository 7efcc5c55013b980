"""Export for every_eval_ever: a file of scores per model, and beside it one line per run and dimension.

Files stand as that project keeps them: `data/grade/<developer>/<model>/<id>.json` and
`<id>_samples.jsonl`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import polars as pl

from grade.dimensions import JUDGED
from grade.errors import InputError, SettingsError
from grade.hints import nearest
from grade.report.eee.aggregate import (
    About,
    Model,
    Scope,
    aggregate,
    evaluation_id,
    file_path,
)
from grade.report.eee.instances import instance_lines, question_rows
from grade.stats.bootstrap import LEVEL, N_RESAMPLES
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.exports.eee_schema import Schemas, find_schemas
from pipelines.exports.tidy import EXPORT_MARKER
from pipelines.judging.assets import load_templates
from pipelines.manifest import grade_version, list_outputs
from pipelines.places import Place
from pipelines.table_files import scan_table
from pipelines.write import MANIFEST, replaced_folder

RELATIONSHIPS: Final = ("first_party", "third_party", "collaborative", "other")
_LEVELS: Final = {"overall": None, "track": "track", "pack": "pack_id", "task": "task_id"}
_READ: Final = (
    *(f"{level}_scores" for level in _LEVELS),
    *("intervals", "runs", "run_scores", "tasks", "gold_facts", "verdicts"),
)
_ALL_TASKS: Final = "grade tasks"


@dataclass(frozen=True, slots=True)
class _Parts:
    """The tables of a result, by model."""

    scores: Mapping[str, Mapping[str, pl.DataFrame]]
    intervals: Mapping[str, pl.DataFrame]
    asked: Mapping[str, Mapping[str, Any]]
    judges: pl.DataFrame
    questions: pl.DataFrame


def export_eee(
    results: Place,
    out: Path,
    model: str | None = None,
    schema: Sequence[Path] | None = None,
    organization: str | None = None,
    relationship: str | None = None,
) -> None:
    """Write the files of every model.

    Args:
        results: The result folder.
        out: The folder for the files: new, empty or an earlier export.
        model: Only this model.
        schema: Published schemas that every file must keep to; where every_eval_ever is
            installed, its own are used.
        organization: Who reports the result.
        relationship: One of `RELATIONSHIPS`.

    Raises:
        InputError: The folder is no result, lacks a table, or holds no such model.
        SettingsError: There is no such relationship.
        SchemaError: A file does not keep to a schema.
        OutputError: The files cannot be written.
    """
    result = open_result(results)
    require_tables(result, _READ)
    about = _about(result, organization, relationship)
    schemas = find_schemas(schema or ())
    models = _chosen(result, model)
    parts = _parts(result)
    with replaced_folder(out, marker=EXPORT_MARKER) as folder:
        for model_id in models:
            _write_model(result, model_id, parts, about, schemas, folder)
        manifest = {
            "format": EXPORT_MARKER,
            "to": "eee",
            "grade_version": grade_version(),
            "method": result.manifest.get("method"),
            "checked_against": list(schemas.names),
            "outputs": list_outputs(folder),
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _write_model(
    result: ResultFolder, model_id: str, parts: _Parts, about: About, schemas: Schemas, folder: Path
) -> None:
    """Write the instances first, since the file of scores says what they hash to."""
    stem = file_path(model_id, about)
    (folder / stem).parent.mkdir(parents=True, exist_ok=True)
    lines = instance_lines(
        _of_model(result, "runs", model_id),
        _of_model(result, "run_scores", model_id),
        parts.questions,
        evaluation_id(model_id, about),
    )
    made = aggregate(_model(model_id, parts), list(_scopes(model_id, parts)), about)
    if len(lines):
        schemas.check_instances(lines, where=f"{stem}_samples.jsonl")
        content = "".join(f"{line}\n" for line in lines).encode()
        (folder / f"{stem}_samples.jsonl").write_bytes(content)
        made["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(content).hexdigest(),
            "total_rows": len(lines),
        }
    schemas.check_aggregate(made, where=f"{stem}.json")
    text = json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / f"{stem}.json").write_text(text + "\n", encoding="utf-8")


def _about(result: ResultFolder, organization: str | None, relationship: str | None) -> About:
    manifest = result.manifest
    if relationship is not None and relationship not in RELATIONSHIPS:
        raise SettingsError(
            "there is no such relationship",
            got=relationship,
            expected=f"one of {', '.join(RELATIONSHIPS)}",
            hint=nearest(relationship, RELATIONSHIPS),
        )
    try:
        return About(
            started=datetime.fromisoformat(manifest["started_utc"]),
            grade_version=manifest["grade_version"],
            method=manifest["method"]["sha256"],
            packs=manifest["inputs"]["packs"]["sha256"],
            verdict_files=tuple(file["name"] for file in manifest["inputs"]["verdicts"]["files"]),
            templates={measure: load_templates()[measure].text.strip() for measure in JUDGED},
            organization=organization or "unknown",
            relationship=relationship or "other",
            n_resamples=N_RESAMPLES,
            level=LEVEL,
        )
    except (LookupError, TypeError, ValueError) as fault:
        raise InputError(
            "the result does not say how it was made",
            where=str(result.place / MANIFEST),
            got=f"no {fault}",
            hint="score again with this version of grade",
        ) from fault


def _chosen(result: ResultFolder, model: str | None) -> list[str]:
    models = result.frame("overall_scores", ["model_id"])["model_id"].to_list()
    if model is None:
        return models
    if model not in models:
        raise InputError(
            "the result has no such model",
            got=model,
            expected=", ".join(models[:10]),
            hint=nearest(model, models),
        )
    return [model]


def _parts(result: ResultFolder) -> _Parts:
    runs = scan_table(result.files["runs"]).group_by("model_id")
    asked = runs.agg(
        providers=pl.col("provider").drop_nulls().unique().sort(),
        temperatures=pl.col("model_temperature").unique().sort(),
        last_run=pl.col("timestamp_utc").max(),
    ).collect()
    verdicts = scan_table(result.files["verdicts"])
    scores = {level: _by_model(result.frame(f"{level}_scores")) for level in _LEVELS}
    return _Parts(
        scores,
        _by_model(result.frame("intervals")),
        {row["model_id"]: row for row in asked.rows(named=True)},
        verdicts.select("model_id", "dimension", "judge_id").unique().collect().sort(pl.all()),
        question_rows(result.frame("tasks"), result.frame("gold_facts")),
    )


def _model(model_id: str, parts: _Parts) -> Model:
    asked = parts.asked[model_id]
    own = parts.judges.filter(pl.col("model_id") == model_id)
    # A verdict without a dimension is about a claim; claims make the dimensions that rules score.
    of_claims = own.filter(pl.col("dimension").is_null())["judge_id"].to_list()
    judges = {measure: own.filter(pl.col("dimension") == measure)["judge_id"].to_list() for measure in JUDGED}
    settled = dict.fromkeys(
        ("insight_quality", "calibration_limitation_handling", "grounding_accuracy"), of_claims
    )
    return Model(
        model_id,
        tuple(asked["providers"]),
        tuple(asked["temperatures"]) if None not in asked["temperatures"] else (),
        asked["last_run"],
        judges | settled,
    )


def _scopes(model_id: str, parts: _Parts) -> Iterator[tuple[Scope, dict[str, Any], dict[str, Any]]]:
    """Yield a model's scopes with their scores and intervals, the widest first."""
    intervals: dict[tuple[str, str], dict[str, Any]] = {}
    for row in parts.intervals[model_id].rows(named=True):
        key = row["track"] if row["level"] == "track" else row["pack_id"]
        intervals.setdefault((row["level"], str(key or "")), {})[row["measure"]] = row
    for level, column in _LEVELS.items():
        for row in parts.scores[level][model_id].rows(named=True):
            key = "" if column is None else str(row[column])
            dataset = row.get("pack_id") or _ALL_TASKS
            yield Scope(level, key, dataset), row, intervals.get((level, key), {})


def _of_model(result: ResultFolder, name: str, model_id: str) -> pl.DataFrame:
    return scan_table(result.files[name]).filter(pl.col("model_id") == model_id).collect()


def _by_model(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    parts = frame.partition_by("model_id", as_dict=True, maintain_order=True)
    return {str(model): part for (model,), part in parts.items()}
