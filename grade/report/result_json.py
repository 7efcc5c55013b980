"""One result file per model in the public GRADE format, as plain objects ready for JSON.

What the public format has no place for stands under `extensions`. A dimension that was not
measured is null, never a number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import polars as pl

from grade.dimensions import DIMENSIONS, TRACKS
from grade.levels import RollUps
from grade.report.filenames import file_stem
from grade.report.rows import Row, rows_by_model


def build_results(
    task_scores: pl.DataFrame, rolled: RollUps, usage: pl.DataFrame, *, grade_version: str
) -> Iterator[dict[str, Any]]:
    """Yield each model's result, in the order of model ids.

    Args:
        task_scores: TASK_SCORES of all models.
        rolled: The levels above.
        usage: From `grade.report.usage.summarise_usage`.
        grade_version: Version of the scorer, as the public format wants it told.
    """
    tasks, tracks, packs, used = map(rows_by_model, (task_scores, rolled.track, rolled.pack, usage))
    for overall in rolled.overall.sort("model_id").rows(named=True):
        model_id = overall["model_id"]
        body = _body(overall, tasks[model_id], tracks[model_id], packs[model_id], used[model_id])
        body |= {"grade_version": grade_version}
        digest = hashlib.sha256(msgspec.json.encode(body)).hexdigest()
        yield {"result_id": f"{file_stem(model_id)}-{digest[:12]}", **body}


def render(result: dict[str, Any]) -> str:
    """Return the file's text: keys in the order in which they were built, and a final line end."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"


def _body(
    overall: Row, tasks: Sequence[Row], tracks: Sequence[Row], packs: Sequence[Row], usage: Sequence[Row]
) -> dict[str, Any]:
    total = next(row for row in usage if row["task_id"] is None)
    return {
        "model_id": overall["model_id"],
        "grade_version": "",
        "scored_at_utc": total["newest_utc"],
        "run_count": overall["n_runs"],
        "task_count": overall["n_tasks"],
        "overall_scores": _scores(overall),
        "overall_composite": overall["composite"],
        "per_track_scores": {str(row["track"]): _track(row) for row in tracks},
        "per_pack_scores": {row["pack_id"]: _pack(row) for row in packs},
        "per_task_scores": [_task(row) for row in tasks],
        "cost_metrics": _costs(total, [row for row in usage if row["task_id"] is not None]),
        "extensions": _coverage(overall)
        | {
            "per_track": {str(row["track"]): _coverage(row) for row in tracks},
            "per_pack": {row["pack_id"]: _coverage(row) for row in packs},
            "per_task": {row["task_id"]: _task_coverage(row) for row in tasks},
        },
    }


def _scores(row: Row) -> dict[str, float | None]:
    return {key: row[key] for key in DIMENSIONS}


def _track(row: Row) -> dict[str, Any]:
    name = {"track": row["track"], "track_name": TRACKS[row["track"]]}
    return name | {"task_count": row["n_tasks"], "scores": _scores(row), "composite": row["composite"]}


def _pack(row: Row) -> dict[str, Any]:
    counted = {"pack_id": row["pack_id"], "task_count": row["n_tasks"]}
    return counted | {"scores": _scores(row), "composite": row["composite"]}


def _task(row: Row) -> dict[str, Any]:
    return {
        "task_id": row["task_id"],
        "track": row["track"],
        "pack_id": row["pack_id"],
        "run_count": row["n_runs"],
        "scores": _scores(row),
        "composite": row["composite"],
        "scorer_flags": row["flags"] or None,
    }


def _coverage(row: Row) -> dict[str, Any]:
    named = {key: row[key] for key in ("task_coverage", "weight_scored", "claims_judged")}
    return named | {"n_scored": {key: row[f"n_scored_{key}"] for key in DIMENSIONS}}


def _task_coverage(row: Row) -> dict[str, Any]:
    named = {key: row[key] for key in ("weight_scored", "rubric_composite", "claims_judged")}
    return named | {"n_scored": {key: row[f"n_scored_{key}"] for key in DIMENSIONS}}


def _costs(total: Row, tasks: Iterable[Row]) -> dict[str, Any]:
    is_known = total["n_costs"] > 0
    return {
        "total_cost_usd": total["cost_usd"],
        "cost_available": is_known,
        "cost_partial": is_known and total["n_costs"] < total["n_runs"],
        "total_prompt_tokens": total["prompt_tokens"],
        "total_completion_tokens": total["completion_tokens"],
        "total_tokens": total["prompt_tokens"] + total["completion_tokens"],
        "tokens_available": total["n_token_counts"] > 0,
        "mean_latency_ms": total["mean_latency_ms"],
        "p50_latency_ms": total["p50_latency_ms"],
        "max_latency_ms": total["max_latency_ms"],
        "per_task_cost": {row["task_id"]: _task_cost(row) for row in tasks},
    }


def _task_cost(row: Row) -> dict[str, Any]:
    return {
        "cost_usd": row["cost_usd"],
        "prompt_tokens": row["prompt_tokens"],
        "completion_tokens": row["completion_tokens"],
        "total_tokens": row["prompt_tokens"] + row["completion_tokens"],
        "mean_latency_ms": row["mean_latency_ms"],
    }
