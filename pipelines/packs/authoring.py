"""Turn the task files of `content/` into tasks: templates filled, rubric and shared limitations added.

A task file is TOML. Its texts hold `{name}` for values of the pack's ground truth, a gold fact
names its value, and what all tasks of a track share comes from `content/tracks.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grade.errors import InputError
from pipelines.packs.sandbox import Sandbox, Scalar, SqlError
from pipelines.packs.template import fill

Json = dict[str, Any]

DECIMALS = 6
"""Decimals that the ground truth keeps; the check allows half a unit of the last one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundTruth:
    """The values that a pack's tasks may use.

    Args:
        sql: The SELECT behind each value, by name.
        values: The values, by name.
    """

    sql: dict[str, str]
    values: dict[str, Scalar]


def read_toml(path: Path) -> Json:
    """Return the contents of a TOML file.

    Raises:
        InputError: The file is missing or no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise InputError("a content file cannot be read", where=path.name, hint=str(error)) from error


def find_ground_truth(queries: Mapping[str, str], sandbox: Sandbox) -> GroundTruth:
    """Return each named value as its SELECT gives it, fractions rounded to `DECIMALS`.

    Raises:
        SqlError: A SELECT cannot be run; the message names its value.
    """
    values: dict[str, Scalar] = {}
    for name, sql in queries.items():
        try:
            value = sandbox.scalar(sql)
        except SqlError as error:
            raise SqlError(
                error.what, where=f"ground_truth.toml: {name}", got=error.got, hint=error.hint
            ) from error
        values[name] = round(value, DECIMALS) if isinstance(value, float) else value
    return GroundTruth(sql=dict(queries), values=values)


def write_task(draft: Json, tracks: Json, truth: GroundTruth) -> Json:
    """Return the task that a draft describes, in the public task format.

    Args:
        draft: A task file as read.
        tracks: What the tasks of each track share: limitations, weights and guidance.
        truth: The pack's ground truth.

    Raises:
        InputError: The draft lacks a field, or asks for a value that is not defined.
    """
    name = str(draft.get("task_id", "a task without task_id"))
    try:
        track = _find_track(draft["track"], tracks, name)
        return {
            **{field: draft[field] for field in ("task_id", "track", "title")},
            "user_prompt": draft["user_prompt"].strip(),
            **{field: draft[field] for field in ("task_type", "allowed_inputs")},
            "gold_facts": [_fact(fact, truth, name) for fact in draft["gold_facts"]],
            "gold_insights": [_insight(insight, truth, name) for insight in draft["gold_insights"]],
            "required_limitations": _texts(track["limitations"], draft, "required_limitations", truth),
            "forbidden_claims": _texts([], draft, "forbidden_claims", truth),
            "rubric": _rubric(track, draft),
            "reference_answer_outline": draft["reference_answer_outline"],
            "premises": draft.get("premises", []),
        }
    except KeyError as error:
        raise InputError(
            "a task file lacks a field", where=name, expected=str(error.args[0]), hint="see WRITE_A_TASK.md"
        ) from error


def _find_track(number: object, tracks: Json, task: str) -> Json:
    track: Json | None = tracks.get(str(number))
    if track is None:
        raise InputError(
            "a task is on a track that tracks.toml does not describe",
            where=f"{task}: track",
            got=str(number),
            expected="one of " + ", ".join(tracks),
        )
    return track


def _fact(fact: Json, truth: GroundTruth, task: str) -> Json:
    where = f"{task}: {fact['fact_id']}"
    written: Json = {
        "fact_id": fact["fact_id"],
        "claim": fill(fact["claim"], truth.values, where=where),
        "source_files": list(fact["sources"]),
        "source_columns": fact["sources"],
        "numeric_value": None,
        "tolerance": None,
    }
    if "value" not in fact:
        return written
    fill("{" + fact["value"] + "}", truth.values, where=f"{where}, value")
    value = truth.values[fact["value"]]
    if isinstance(value, str):
        written["string_value"] = value
    else:
        written |= {"numeric_value": value, "tolerance": fact.get("tolerance", 0)}
        written |= {"unit": fact["unit"]} if "unit" in fact else {}
    if "metric_keys" in fact:
        written["metric_keys"] = fact["metric_keys"]
    return written | {"ground_truth": fact["value"], "sql": truth.sql[fact["value"]]}


def _insight(insight: str | Json, truth: GroundTruth, task: str) -> str | Json:
    where = f"{task}: gold_insights"
    if isinstance(insight, str):
        return fill(insight, truth.values, where=where)
    return insight | {"text": fill(insight["text"], truth.values, where=where)}


def _texts(shared: list[str], draft: Json, field: str, truth: GroundTruth) -> list[str]:
    where = f"{draft['task_id']}: {field}"
    return [fill(text, truth.values, where=where) for text in [*shared, *draft[field]]]


def _rubric(track: Json, draft: Json) -> Json:
    weights = track["weights"] | draft.get("weights", {})
    guidance = track["guidance"] | draft.get("guidance", {})
    return {
        dimension: {"weight": weight} | ({"guidance": guidance[dimension]} if dimension in guidance else {})
        for dimension, weight in weights.items()
    }
