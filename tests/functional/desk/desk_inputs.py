"""Answers of five models to six tasks, scored once; some texts try to break out of a page or a sheet."""

from __future__ import annotations

from pathlib import Path

from small_inputs import run, task, write_lines

from grade.settings import DEFAULTS
from pipelines.progress import Silent
from pipelines.score import ScoreRequest, score

TASKS = tuple(f"T-{number}" for number in range(1, 7))
GOOD, MIXED, FREE, PARTIAL = "acme/good", "acme/mixed", "acme/free", "acme/partial"
HOSTILE = '<b>evil</b> & "co" =1+1'
MARKUP = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
FORMULA = '=HYPERLINK("http://example.invalid","click")'


def _answers() -> list[dict]:
    wrong = {"structured_metrics": {}, "key_findings": ["The program enrolls 153 students."]}
    claimed = wrong | {
        "key_findings": [f"Tutoring caused the growth of enrollment {MARKUP}", FORMULA],
        "limitations": ["+ one caveat", "@sum(A1)"],
    }
    records = []
    for place, task_id in enumerate(TASKS):
        for index in range(3):
            records += [
                _timed(run(index, GOOD, task_id), cost=0.01 + 0.001 * place),
                _timed(run(index, MIXED, task_id, **(wrong if (place + index) % 3 else {})), cost=None),
                _timed(run(index, FREE, task_id, **(wrong if place == 0 else {})), cost=0.0),
                _timed(run(index, HOSTILE, task_id, **(claimed if (place + index) % 2 else wrong)), cost=0.5),
            ]
            if place < 3:
                records.append(run(index, PARTIAL, task_id))
    return records


def _timed(record: dict, *, cost: float | None) -> dict:
    seen = record["runtime_metadata"] | ({} if cost is None else {"cost_usd": cost})
    return record | {"runtime_metadata": seen}


def _verdicts(records: list[dict]) -> list[dict]:
    """Judges settle every dimension and every claim that matching may leave open."""
    key = ("model_id", "task_id", "run_index")
    claims = ("insight:0", "limitation:0", "forbidden:0")
    rows = []
    for number, record in enumerate(records):
        named = {name: record[name] for name in key} | {"judge_id": "judge-1"}
        rows += [
            named | {"dimension": "evidence_linkage", "numeric_score": 0.5 + 0.05 * (number % 7)},
            named | {"dimension": "structure_usability", "numeric_score": 0.6 + 0.04 * (number % 5)},
        ]
        rows += [named | {"claim_id": claim, "score": "fail"} for claim in claims]
    return rows


def make_result(folder: Path) -> Path:
    """Score the answers; one more record is broken and refused."""
    write_lines(folder / "packs" / "one" / "tasks.jsonl", [task(name, track=1) for name in TASKS[:3]])
    write_lines(folder / "packs" / "two" / "tasks.jsonl", [task(name, track=3) for name in TASKS[3:]])
    records = _answers()
    write_lines(folder / "runs" / "runs.jsonl", [*records, '{"model_id": "<i>broken'])
    write_lines(folder / "verdicts.jsonl", _verdicts(records))
    request = ScoreRequest(
        runs=(str(folder / "runs"),),
        packs=folder / "packs",
        verdicts=(str(folder / "verdicts.jsonl"),),
        out=folder / "result",
        settings=DEFAULTS,
    )
    score(request, progress=Silent())
    return folder / "result"
