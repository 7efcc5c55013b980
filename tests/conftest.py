"""Small, sound tables that any test may ask for and then bend."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import fmean

import polars as pl
import pytest

from grade import schemas
from grade.categories import JUDGED_RUN_COLUMNS
from grade.dimensions import CALIBRATION, CONSISTENCY, DIMENSIONS, GROUNDING, INSIGHT, JUDGED, WEIGHTS
from grade.levels import dimension_frame
from grade.policy import DEFAULT_POLICY
from grade.rollup import roll_up, roll_up_tasks
from pipelines.deciding import decide_all

Tables = dict[str, pl.DataFrame]


def _frame(table: schemas.Table, rows: list[dict]) -> pl.DataFrame:
    blank = dict.fromkeys(table.columns)
    return pl.DataFrame([blank | row for row in rows], schema=table.dtypes).sort(table.key)


def _tasks(n_tasks: int) -> pl.DataFrame:
    weights = {f"weight_{key}": weight / 100 for key, weight in WEIGHTS.items()}
    rows = [
        {
            "task_id": f"T{n:02}",
            "pack_id": "pack_even" if n % 2 == 0 else "pack_odd",
            "track": 1 + n % 3,
            "title": f"Task {n}",
            "task_type": "computation",
            "user_prompt": "What is it?",
            "allowed_inputs": ["students.csv"],
            **weights,
        }
        for n in range(n_tasks)
    ]
    return _frame(schemas.TASKS, rows)


def _run(key: dict, track: int, pack_id: str) -> dict:
    return key | {
        "pack_id": pack_id,
        "track": track,
        "key_findings": ["One finding."],
        "limitations": [],
        "structured_metrics": "{}",
        "evidence_citations": [],
        "input_flags": [],
        "content_hash": "0" * 16,
        "timestamp_utc": f"2026-06-01T09:00:0{key['run_index'] % 10}Z",
        "latency_ms": 10.0 + key["run_index"],
    }


def _checks(key: dict, draw: random.Random) -> tuple[list[dict], list[dict]]:
    facts = []
    for n in range(3):
        matched = draw.random() < 0.7
        facts.append(
            key | {"fact_id": f"F{n}", "score": float(matched), "matched": matched, "gold_value": n + 0.5}
        )
    claims = []
    for claim_id in ("insight:0", "insight:1", "limitation:0", "forbidden:0"):
        kind = claim_id.split(":", maxsplit=1)[0]
        status = draw.choice(["overlap", "none", "inconclusive", "judge"])
        made = status in {"overlap", "judge"}
        score = float(made != (kind == "forbidden"))
        text = "A sentence of the answer." if status in {"overlap", "inconclusive"} else None
        claims.append(
            key
            | {"claim_id": claim_id, "kind": kind, "made": made, "score": score, "status": status}
            | {"evidence": text, "field": "key_findings" if text else None}
            | {"reason": "numbers" if status == "inconclusive" else None}
        )
    return facts, claims


def _scores(key: dict, facts: list[dict], draw: random.Random) -> list[dict]:
    values = {
        GROUNDING: fmean(fact["score"] for fact in facts),
        INSIGHT: draw.random(),
        CALIBRATION: draw.random(),
    }
    return [
        key | {"dimension": name, "score": values.get(name), "source": "rule", "flags": ["seen"]}
        for name in DIMENSIONS
    ]


@pytest.fixture
def make_tables() -> Callable[..., Tables]:
    """Build every table of a small result; all invariants hold."""

    def make(
        models: tuple[str, ...] = ("m/one", "m/two"), n_tasks: int = 4, n_runs: int = 3, seed: int = 1
    ) -> Tables:
        draw = random.Random(seed)
        tasks = _tasks(n_tasks)
        runs, facts, claims, scores, groups = [], [], [], [], []
        for model in models:
            for task in tasks.rows(named=True):
                group = {"model_id": model, "task_id": task["task_id"]}
                value = draw.random() if n_runs > 1 else None
                groups.append(group | {"n_runs": n_runs, CONSISTENCY: value})
                for index in range(n_runs):
                    key = group | {"run_index": index}
                    runs.append(_run(key, task["track"], task["pack_id"]))
                    of_facts, of_claims = _checks(key, draw)
                    facts += of_facts
                    claims += of_claims
                    scores += _scores(key, of_facts, draw)
        tables = {
            "tasks": tasks,
            "runs": _frame(schemas.RUNS, runs),
            "fact_checks": _frame(schemas.FACT_CHECKS, facts),
            "claim_checks": _frame(schemas.CLAIM_CHECKS, claims),
            "run_scores": _frame(schemas.RUN_SCORES, scores),
            "consistency": _frame(schemas.CONSISTENCY, groups),
        }
        return roll(tables)

    return make


def roll(tables: Tables) -> Tables:
    """Add the rolled-up tables."""
    task_scores = roll_up_tasks(
        tables["run_scores"], tables["consistency"], tables["claim_checks"], tables["tasks"]
    )
    levels = roll_up(task_scores, tables["tasks"])
    is_judged = pl.col("dimension").is_in(list(JUDGED))
    decided = decide_all(
        task_scores=task_scores,
        judged_runs=tables["run_scores"].filter(is_judged).select(JUDGED_RUN_COLUMNS),
        verdicts=schemas.VERDICTS.empty(),
        rejects=schemas.REJECTS.empty(),
        finding_counts=schemas.FINDING_COUNTS.empty(),
        policy=DEFAULT_POLICY,
        confidence_threshold=0.7,
    )
    return tables | {
        **decided._asdict(),
        "task_scores": task_scores,
        "track_scores": levels.track,
        "pack_scores": levels.pack,
        "overall_scores": levels.overall,
        "dimensions": dimension_frame(),
    }
