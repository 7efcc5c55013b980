"""Cases of the specification as records to score: each case is a task of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from book import Case
from support.scoring import Records, run, task, verdict

LISTS = {"insight": "gold_insights", "limitation": "required_limitations", "forbidden": "forbidden_claims"}


def answer(case: Case, run_index: int = 0) -> dict:
    """The run that a case describes."""
    fields = {
        "key_findings": case.texts("findings"),
        "limitations": case.texts("limitations"),
        "raw_response_text": case.text("raw text"),
        "structured_metrics": json.loads(case.text("metrics") or "{}"),
        "evidence_citations": [{"citation_text": text} for text in case.texts("citations")],
    }
    return run(case.task_id, run_index, **fields)


def verdicts(words: Iterable[str], of: dict, **about: str) -> list[dict]:
    """Verdicts as a cell tells them: pass, partial, fail, 1 to 5, a decimal; `human` in front for a person."""
    made = []
    for number, word in enumerate(words):
        judge = f"human:reader-{number}" if word.startswith("human ") else f"judge-{number}"
        form = word.removeprefix("human ")
        made.append(verdict(of, judge, **about, **_score(form)))
    return made


def _score(form: str) -> dict:
    if form in {"pass", "partial", "fail"}:
        return {"score": form}
    return {"numeric_score": float(form)} if "." in form else {"int_score": int(form)}


def fact_case(case: Case) -> tuple[dict, dict, list[dict]]:
    """A task with one gold fact, its answer and the verdicts on it."""
    fact = {"fact_id": "F1", "claim": case.cells["claim"], "numeric_value": case.number_of("gold")}
    tolerance = case.text("tolerance")
    fact["tolerance"] = tolerance if tolerance is None or tolerance.endswith("%") else float(tolerance)
    fact |= {name: case.text(column) for name, column in (("unit", "unit"), ("string_value", "string"))}
    fact["metric_keys"] = case.texts("metric keys")
    said = answer(case)
    return (
        task(case.task_id, track=int(case.text("track") or 1), gold_facts=[fact]),
        said,
        verdicts(case.texts("verdict"), said, claim_id="fact:F1"),
    )


def claim_case(case: Case) -> tuple[dict, dict, list[dict]]:
    """A task with one claim, its answer and the verdicts on it."""
    kind = case.cells["kind"]
    said = answer(case)
    judged = verdicts(case.texts("verdicts"), said, claim_id=f"{kind}:0")
    return task(case.task_id, **{LISTS[kind]: [case.cells["claim"]]}), said, judged


def together(parts: Sequence[tuple[dict, dict, list[dict]]]) -> tuple[Records, Records, Records]:
    """Tasks, runs and verdicts of several cases, to be scored at once."""
    return (
        [one for one, _, _ in parts],
        [said for _, said, _ in parts],
        [given for _, _, judged in parts for given in judged],
    )
