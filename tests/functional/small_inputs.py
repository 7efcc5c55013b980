"""Records of small input files."""

from __future__ import annotations

import json
from pathlib import Path

from grade.dimensions import WEIGHTS


def task(task_id: str = "T-1", **changes: object) -> dict:
    return {
        "task_id": task_id,
        "track": 1,
        "title": "Count students",
        "user_prompt": "How many students are enrolled?",
        "task_type": "computation",
        "allowed_inputs": ["students.csv"],
        "gold_facts": [
            {
                "fact_id": "F1",
                "claim": "The program enrolls 135 students.",
                "source_files": ["students.csv"],
                "numeric_value": 135,
                "tolerance": 0,
            }
        ],
        "gold_insights": ["Enrollment grew in the spring term."],
        "required_limitations": ["Withdrawn students are not counted."],
        "forbidden_claims": ["Tutoring caused the growth of enrollment."],
        "rubric": {key: {"weight": weight / 100} for key, weight in WEIGHTS.items()},
    } | changes


def run(run_index: int = 0, model_id: str = "acme/model-a", task_id: str = "T-1", **changes: object) -> dict:
    return {
        "task_id": task_id,
        "model_id": model_id,
        "run_index": run_index,
        "structured_metrics": {"students": 135},
        "key_findings": ["The program enrolls 135 students.", "Enrollment grew in the spring term."],
        "limitations": ["Withdrawn students are not counted."],
        "evidence_citations": [{"citation_text": "students.csv", "source_file": "students.csv"}],
        "runtime_metadata": {
            "adapter_version": "1",
            "timestamp_utc": f"2026-06-01T09:00:0{run_index}Z",
            "latency_ms": 10,
        },
        "raw_response_text": None,
    } | changes


def write_lines(path: Path, records: list) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def write_inputs(folder: Path) -> Path:
    """Two models, two tasks, five runs each, and verdicts; the second model claims what is forbidden."""
    write_lines(folder / "packs" / "small" / "tasks.jsonl", [task("T-1"), task("T-2", track=3)])
    bad = {"key_findings": ["Tutoring caused the growth of enrollment.", "The program enrolls 153 students."]}
    bad |= {"structured_metrics": {}, "limitations": []}
    runs = [
        run(index, model, task_id, **changes)
        for model, changes in (("acme/model-a", {}), ("acme/model-b", bad))
        for task_id in ("T-1", "T-2")
        for index in range(5)
    ]
    write_lines(folder / "runs" / "runs.jsonl", runs)
    key = ("model_id", "task_id", "run_index")
    verdicts = [
        {name: record[name] for name in key}
        | {"dimension": dimension, "judge_id": "judge-1", "score": "pass"}
        for record in runs
        for dimension in ("evidence_linkage", "structure_usability")
    ]
    write_lines(folder / "verdicts.jsonl", verdicts)
    return folder
