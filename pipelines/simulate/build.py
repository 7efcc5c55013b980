"""Simulate models that answer the tasks of the packs: runs, verdicts, and what was planted in them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from pipelines.packs import files
from pipelines.simulate.answers import write_answer
from pipelines.simulate.dice import Dice
from pipelines.simulate.errors import RunPlan, plan_run
from pipelines.simulate.gold import SimTask, load_tasks
from pipelines.simulate.judges import judge_claims, judge_run
from pipelines.simulate.ledger import PLANTED, summarise
from pipelines.simulate.models import ERRORS, SimulatedModel, load_simulation
from pipelines.simulate.store import write_jsonl

_HERE: Final = Path(__file__).parent
_FIRST_RUN: Final = dt.datetime(2026, 1, 12, 8, 0, tzinfo=dt.UTC)

Json = dict[str, Any]


@dataclass(kw_only=True, slots=True)
class _Output:
    """What one model's simulation gives."""

    runs: list[Json] = field(default_factory=list)
    dimension_verdicts: list[Json] = field(default_factory=list)
    claim_verdicts: list[Json] = field(default_factory=list)
    events: list[tuple[str, str, int, str, str, bool]] = field(default_factory=list)


def build_runs(packs: Path, out: Path, seed: int = 42) -> None:
    """Write the simulated runs and verdicts, and the record of what was planted.

    Below `out` come `runs/<model>.jsonl` (some compressed), `verdicts/dimensions.jsonl`,
    `verdicts/claims.jsonl`, `planted_errors.csv` with one row per planted error, and
    `simulation.json` with rates, opportunities and counts by model and error. The same packs and
    seed give the same content.

    Args:
        packs: Folder with built packs.
        out: Folder to write to; made if missing.
        seed: Seed of the simulation.
    """
    tasks = load_tasks(packs, _HERE / "wording")
    simulation = load_simulation(_HERE / "models.toml")
    outputs = [_simulate(model, tasks, simulation.runs_per_task, seed) for model in simulation.models]
    for folder in ("runs", "verdicts"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for model, output in zip(simulation.models, outputs, strict=True):
        write_jsonl(out / "runs" / model.file_name, output.runs)
    write_jsonl(
        out / "verdicts" / "dimensions.jsonl", [v for each in outputs for v in each.dimension_verdicts]
    )
    write_jsonl(out / "verdicts" / "claims.jsonl", [v for each in outputs for v in each.claim_verdicts])
    events = pl.DataFrame([row for each in outputs for row in each.events], schema=PLANTED, orient="row")
    (out / "planted_errors.csv").write_bytes(files.csv_bytes(events.filter("happened").drop("happened")))
    summary = _summary(simulation.models, events, runs_per_task=simulation.runs_per_task, seed=seed)
    (out / "simulation.json").write_bytes(files.json_bytes(summary | {"tasks": len(tasks)}))


def _simulate(model: SimulatedModel, tasks: list[SimTask], runs: int, seed: int) -> _Output:
    output = _Output()
    for number, (task, run_index) in enumerate((task, index) for task in tasks for index in range(runs)):
        dice = Dice(seed, f"{model.model_id} {task.task_id} {run_index}")
        plan = plan_run(task, model, dice)
        key = {"model_id": model.model_id, "task_id": task.task_id, "run_index": run_index}
        answer = write_answer(task, plan, dice)
        metadata = _metadata(model, task, answer, plan, started=number, dice=dice)
        raw = answer.pop("raw_response_text")
        output.runs.append(key | answer | {"runtime_metadata": metadata, "raw_response_text": raw})
        output.dimension_verdicts.extend(judge_run(key, model, plan, dice))
        output.claim_verdicts.extend(judge_claims(key, task, model, plan, dice))
        output.events.extend(
            (model.model_id, task.task_id, run_index, event.error, event.target, event.happened)
            for event in plan.events
        )
    return output


def _metadata(
    model: SimulatedModel, task: SimTask, answer: Json, plan: RunPlan, *, started: int, dice: Dice
) -> Json:
    prompt_tokens = 900 + 40 * len(task.facts) + int(200 * dice.roll("prompt tokens"))
    completion_tokens = len(answer["raw_response_text"]) // 4
    price = model.usd_per_1k_tokens
    cost = None if price is None else round(price * (prompt_tokens + completion_tokens) / 1000, 6)
    return {
        "adapter_version": "simulate-1",
        "timestamp_utc": (_FIRST_RUN + dt.timedelta(minutes=started)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "latency_ms": round(model.latency_ms * (0.7 + 0.6 * dice.roll("latency")), 1),
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost_usd": cost,
        "model_temperature": 0.2,
        "provider": "simulated",
        "pack_id": task.pack_id,
        "finish_reason": "length" if plan.happened("truncated") else "stop",
    }


def _summary(
    models: tuple[SimulatedModel, ...], events: pl.DataFrame, *, runs_per_task: int, seed: int
) -> Json:
    return {
        "simulated": True,
        "seed": seed,
        "runs_per_task": runs_per_task,
        "errors": ERRORS,
        "models": {model.model_id: dict(_described(model, events)) for model in models},
    }


def _described(model: SimulatedModel, events: pl.DataFrame) -> Iterator[tuple[str, Any]]:
    yield "file", f"runs/{model.file_name}"
    yield "judged_claims", model.judged_claims
    yield "errors", summarise(model, events)
