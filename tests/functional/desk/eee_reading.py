"""Read exported every_eval_ever files back into tables of scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

_SCORES: Final = {
    "model_id": pl.String,
    "level": pl.String,
    "key": pl.String,
    "measure": pl.String,
    "score": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


class EeeScores(NamedTuple):
    """The scores that files hold.

    Attributes:
        scores: One row per model, level (overall, track, pack, task), key and measure, sorted: score,
            low and high.
        run_scores: One row per model_id, task_id, run_index and dimension, sorted: score.
    """

    scores: pl.DataFrame
    run_scores: pl.DataFrame


def read_eee(folder: Path) -> EeeScores:
    """Read what `grade export --to eee` wrote.

    Args:
        folder: The folder of the export.
    """
    files = sorted((folder / "data").rglob("*.json"))
    rows = [row for path in files for row in _score_rows(json.loads(path.read_bytes()))]
    scores = pl.DataFrame(rows, schema=_SCORES, orient="row")
    return EeeScores(scores.sort("model_id", "level", "key", "measure"), _run_scores(folder))


def _score_rows(made: dict[str, Any]) -> list[tuple[Any, ...]]:
    model_id = made["model_info"]["id"]
    rows = []
    for one in made["evaluation_results"]:
        told, score = one["score_details"]["details"], one["score_details"]["score"]
        interval = one["score_details"].get("uncertainty", {}).get("confidence_interval", {})
        place = (model_id, told["level"], told["key"], told["measure"])
        rows.append((*place, score, interval.get("lower"), interval.get("upper")))
    return rows


def _run_scores(folder: Path) -> pl.DataFrame:
    wanted: dict[str, pl.DataType | type[pl.DataType]] = {
        "model_id": pl.String,
        "sample_id": pl.String,
        "evaluation": pl.Struct({"score": pl.Float64}),
        "metadata": pl.Struct({"run_index": pl.String, "dimension": pl.String}),
    }
    told = pl.struct(
        task_id="sample_id",
        run_index=pl.col("metadata").struct.field("run_index").cast(pl.Int64),
        dimension=pl.col("metadata").struct.field("dimension"),
        score=pl.col("evaluation").struct.field("score"),
    )
    files = sorted((folder / "data").rglob("*_samples.jsonl"))
    empty = pl.DataFrame(schema=wanted)
    lines = pl.concat([empty, *(pl.read_ndjson(path, schema=wanted) for path in files)])
    rows = lines.select("model_id", told=told).unnest("told")
    return rows.sort("model_id", "task_id", "run_index", "dimension")
