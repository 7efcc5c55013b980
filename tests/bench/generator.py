"""Write realistic runs of any number, seeded: what the benchmark reads.

A run is about 4.5 KB of JSON: five or six findings of 20 to 30 words, three limitations, a few
metrics and a raw response of 40 sentences that repeats the findings and limitations. Findings
mix the gold claims of the task, in their own or in changed words, with sentences that nobody
else writes, as models' answers do.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks import read_tasks

RUNS_PER_GROUP = 5
_SENTENCES = 40
_WORDS = (
    "attendance program students sessions tutors schools quarter month rate groups trend cohort survey families "
    "schedule staffing cancellations completion goal baseline gap pattern roster enrolment review evidence sample "
    "period change share level data shows suggests points toward remains above below within during across after "
    "before steady uneven notable modest clear likely partly mostly every several fewer weekly monthly recorded "
    "reported observed expected planned actual local overall early late strong weak mixed the a of in for with and"
).split()
_ENTITIES = (
    "SCH-001",
    "SCH-002",
    "SCH-003",
    "SCH-004",
    "TUT-003",
    "TUT-005",
    "TUT-011",
    "GRP-004",
    "GRP-012",
)
_MONTHS = ("September", "October", "November", "December")


def write_runs(tasks: list[dict[str, Any]], path: Path, *, n_runs: int, seed: int = 7) -> None:
    """Write `n_runs` runs as JSONL: five per task for as many models as that takes."""
    with path.open("w", encoding="utf-8") as file:
        for number, run in enumerate(_runs(tasks, seed)):
            if number == n_runs:
                return
            file.write(json.dumps(run, ensure_ascii=False) + "\n")


def _runs(tasks: list[dict[str, Any]], seed: int) -> Iterator[dict[str, Any]]:
    model = 0
    while True:
        rng = random.Random(seed * 1_000_003 + model)
        for task in tasks:
            shared = [_finding(rng, task) for _ in range(8)]
            for run_index in range(RUNS_PER_GROUP):
                yield _run(rng, task, f"bench/model-{model:05d}", run_index, shared)
        model += 1


def _run(
    rng: random.Random, task: dict[str, Any], model_id: str, run_index: int, shared: list[str]
) -> dict[str, Any]:
    findings = [
        rng.choice(shared) if rng.random() < 0.5 else _finding(rng, task) for _ in range(rng.choice((5, 6)))
    ]
    limitations = [_limitation(rng, task) for _ in range(3)]
    said = findings + limitations
    fillers = [_short(rng) for _ in range(_SENTENCES - len(said))]
    raw = "\n".join(
        [
            "## Findings",
            *(f"- {text}" for text in findings),
            "",
            "## Notes",
            " ".join(fillers),
            "",
            "## Limitations",
        ]
        + [f"* {text}" for text in limitations]
    )
    return {
        "task_id": task["task_id"],
        "model_id": model_id,
        "run_index": run_index,
        "structured_metrics": _metrics(rng, task),
        "key_findings": findings,
        "limitations": limitations,
        "evidence_citations": [
            {
                "citation_text": f"{name}, grouped by school_id",
                "source_file": name,
                "source_column": "school_id",
            }
            for name in task["allowed_inputs"][:2]
        ],
        "runtime_metadata": {
            "adapter_version": "1.0.0",
            "timestamp_utc": "2026-03-01T09:00:00Z",
            "latency_ms": float(rng.randint(800, 9000)),
            "prompt_tokens": rng.randint(900, 4000),
            "completion_tokens": rng.randint(300, 1200),
            "cost_usd": rng.randint(1, 900) / 1e5,
            "provider": "bench",
        },
        "raw_response_text": raw,
    }


def _finding(rng: random.Random, task: dict[str, Any]) -> str:
    """A finding: a gold fact or insight with more around it, or a sentence of its own."""
    roll = rng.random()
    if roll < 0.35 and task["gold_facts"]:
        core = rng.choice(task["gold_facts"])["claim"].rstrip(".")
        return f"{core}, {_clause(rng, 10)}."
    if roll < 0.5 and task["gold_insights"]:
        insight = rng.choice(task["gold_insights"])
        words = (insight["text"] if isinstance(insight, dict) else insight).rstrip(".").split()
        words[rng.randrange(len(words))] = rng.choice(_WORDS)
        return " ".join(words) + "."
    return f"{rng.choice(_ENTITIES)} {_clause(rng, 9)} {_number(rng)} {_clause(rng, 6)} in {rng.choice(_MONTHS)}."


def _limitation(rng: random.Random, task: dict[str, Any]) -> str:
    if rng.random() < 0.3 and task["required_limitations"]:
        return str(rng.choice(task["required_limitations"]))
    return f"The data cannot tell {_clause(rng, 12)}."


def _short(rng: random.Random) -> str:
    body = _clause(rng, rng.randint(5, 9)).capitalize()
    return f"{body} {_number(rng)}." if rng.random() < 0.4 else f"{body}."


def _clause(rng: random.Random, n_words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=n_words))


def _number(rng: random.Random) -> str:
    return rng.choice(
        (f"{rng.randint(2, 400)}", f"{rng.randint(100, 999) / 10}%", f"{rng.randint(1, 30)} points")
    )


def _metrics(rng: random.Random, task: dict[str, Any]) -> dict[str, Any]:
    values = {
        f"{fact['fact_id'].lower()}_value": fact["numeric_value"]
        for fact in task["gold_facts"]
        if fact["numeric_value"] is not None and rng.random() < 0.7
    }
    return values | {
        "students_by_school": {name: rng.randint(20, 70) for name in _ENTITIES[:3]},
        "note": "rounded",
    }


def main() -> None:
    packs, path, number = sys.argv[1:]
    write_runs(read_tasks(Path(packs)), Path(path), n_runs=int(number))


if __name__ == "__main__":
    main()
