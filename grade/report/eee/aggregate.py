"""The file of one model: every score it has, with its metric, its interval and what it rests on."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from grade.report.eee.metrics import MEASURES, metric_config, model_info
from grade.report.filenames import file_stem

SCHEMA_VERSION: Final = "0.3.0"
"""Version of every_eval_ever's format that is written."""

COLLECTION: Final = "grade"
_DATA: Final = "data"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class About:
    """What is the same in all files of a result.

    Attributes:
        started: When the result was scored.
        grade_version: Version of the scorer.
        method: Hash of the method's settings.
        packs: Hash of the tasks.
        verdict_files: Names of the files that verdicts were read from.
        templates: What grade asks judges with, by measure.
        organization: Who reports the result.
        relationship: How they stand to the models' developers.
        n_resamples: Resamples of an interval.
        level: Level of an interval.
    """

    started: datetime
    grade_version: str
    method: str
    packs: str
    verdict_files: tuple[str, ...]
    templates: Mapping[str, str]
    organization: str
    relationship: str
    n_resamples: int
    level: float

    @property
    def epoch(self) -> str:
        """When the result was scored, in seconds since 1970."""
        return str(int(self.started.timestamp()))


@dataclass(frozen=True, slots=True)
class Scope:
    """The tasks that some scores of a model are about.

    Attributes:
        level: overall, track, pack or task.
        key: The track, pack or task; empty for all.
        dataset: What the tasks are called together.
    """

    level: str
    key: str
    dataset: str

    @property
    def name(self) -> str:
        """What the format calls the evaluation.

        Examples:
            >>> Scope("task", "T-1", "pack_a").name, Scope("overall", "", "grade tasks").name
            ('grade.task.T-1', 'grade.overall')
        """
        return ".".join(part for part in ("grade", self.level, self.key) if part)


@dataclass(frozen=True, slots=True)
class Model:
    """A model and how it was asked.

    Attributes:
        model_id: Its id.
        providers: Who served it, sorted.
        temperatures: Sampling temperatures of its runs, sorted.
        last_run: When its newest answer was given, as its run says; None where no run says so.
        judges: Who judged each measure, by measure.
    """

    model_id: str
    providers: tuple[str, ...]
    temperatures: tuple[float, ...]
    last_run: str | None
    judges: Mapping[str, Sequence[str]]


def evaluation_id(model_id: str, about: About) -> str:
    """Return what ties a model's files together."""
    return f"{COLLECTION}/{model_id}/{about.epoch}"


def result_id(scope: str, measure: str) -> str:
    """Return what instances point at.

    Examples:
        >>> result_id("grade.task.T-1", "consistency")
        'grade.task.T-1/consistency'
    """
    return f"{scope}/{measure}"


def file_path(model_id: str, about: About) -> str:
    """Return where a model's file stands in the format's layout, without an ending.

    The last part looks like a random UUID, as the format wants it, but follows from the
    evaluation's id, so that the same result has the same files.
    """
    developer, slash, model = model_id.partition("/")
    folders = (developer, model) if slash and developer and model else ("unknown", model_id)
    digest = hashlib.sha256(evaluation_id(model_id, about).encode("utf-8", "surrogatepass")).digest()
    unique = uuid.UUID(bytes=digest[:16], version=4)
    return "/".join((_DATA, COLLECTION, *map(_folder, folders), str(unique)))


def aggregate(model: Model, scores: Sequence[tuple[Scope, Row, Row]], about: About) -> dict[str, Any]:
    """Return a model's file, but for what its instance file is.

    Args:
        model: The model.
        scores: Scopes, each with the row of scores and the intervals by measure.
        about: What is the same in all files.
    """
    provider = model.providers[0] if len(model.providers) == 1 else None
    last_run = {"evaluation_timestamp": model.last_run} if model.last_run else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id(model.model_id, about),
        **last_run,
        "retrieved_timestamp": about.epoch,
        "source_metadata": {
            "source_name": "grade",
            "source_type": "evaluation_run",
            "source_organization_name": about.organization,
            "evaluator_relationship": about.relationship,
        },
        "eval_library": {
            "name": "grade",
            "version": about.grade_version,
            "additional_details": {"method_sha256": about.method},
        },
        "model_info": model_info(model.model_id, provider),
        "evaluation_results": list(_results(model, scores, about)),
    }


def _results(
    model: Model, scores: Sequence[tuple[Scope, Row, Row]], about: About
) -> Iterator[dict[str, Any]]:
    """Yield what was measured; what was not measured has no score that the format could hold."""
    asked = _generation(model)
    configs = {
        measure: metric_config(
            measure, model.judges.get(measure, ()), about.verdict_files, about.templates.get(measure, "")
        )
        for measure in MEASURES
    }
    for scope, row, intervals in scores:
        for measure in MEASURES:
            if row[measure] is None:
                continue
            yield {
                "evaluation_result_id": result_id(scope.name, measure),
                "evaluation_name": scope.name,
                "source_data": {
                    "dataset_name": scope.dataset,
                    "source_type": "other",
                    "additional_details": {"tasks_sha256": about.packs},
                },
                "metric_config": configs[measure],
                "score_details": {
                    "score": row[measure],
                    "details": _details(scope, row, measure, intervals.get(measure)),
                    **_uncertainty(intervals.get(measure), about),
                },
                **asked,
            }


def _details(scope: Scope, row: Row, measure: str, interval: Row | None) -> dict[str, str]:
    told = {"level": scope.level, "key": scope.key, "measure": measure}
    names = ("n_tasks", "n_runs", "task_coverage", "weight_scored", "claims_judged", f"n_scored_{measure}")
    told |= {name: str(row[name]) for name in names if row.get(name) is not None}
    why = interval["no_interval"] if interval is not None else None
    return told | ({"no_interval": why} if why else {})


def _uncertainty(interval: Row | None, about: About) -> dict[str, Any]:
    if interval is None or interval["low"] is None:
        return {}
    return {
        "uncertainty": {
            "confidence_interval": {
                "lower": interval["low"],
                "upper": interval["high"],
                "confidence_level": about.level,
                "method": "percentile bootstrap over tasks",
            },
            "num_samples": interval["n_measured"],
            "num_bootstrap_samples": about.n_resamples,
        }
    }


def _generation(model: Model) -> dict[str, Any]:
    if len(model.temperatures) != 1:
        return {}
    return {"generation_config": {"generation_args": {"temperature": model.temperatures[0]}}}


def _folder(name: str) -> str:
    """Return a folder's name; the name of the layout's root is not free."""
    stem = file_stem(name)
    return file_stem(f"{name}/") if stem == _DATA else stem
