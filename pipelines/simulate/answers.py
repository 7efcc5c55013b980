"""Write the answer that a run plan asks for, as a record of the public run format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pipelines.simulate.dice import Dice
from pipelines.simulate.errors import RunPlan
from pipelines.simulate.gold import Fact, SimTask, Statement
from pipelines.simulate.restate import restate

Json = dict[str, Any]

_NEGATIONS: Final = (
    "The data do not show this: ",
    "We found no support for the view that ",
    "It is not the case here that ",
)
_REFUTATION: Final = "The extract does not allow the conclusion: "
_VAGUE_FINDING: Final = "The picture is mixed, and several things deserve a closer look."
_VAGUE_CAVEAT: Final = "More context would help."
_OPENINGS: Final = ("", "", "", "Overall: ", "In short: ", "To start with: ")
_FABRICATED: Final = {
    "citation_text": "district_survey.csv, column satisfaction",
    "source_file": "district_survey.csv",
    "source_column": "satisfaction",
    "grounded": None,
}


def write_answer(task: SimTask, plan: RunPlan, dice: Dice) -> Json:
    """Return findings, limitations, metrics, citations and raw text of one run."""
    if plan.is_empty:
        return _answer([], [], {}, [], "")
    if plan.is_vague:
        raw = _markdown(task, [_VAGUE_FINDING], [_VAGUE_CAVEAT], [])
        return _answer([_VAGUE_FINDING], [_VAGUE_CAVEAT], {}, [], raw)
    findings = _findings(task, plan, dice)
    limitations = _limitations(task, plan)
    citations = list(_citations(task, plan))
    raw = _markdown(task, findings, limitations, citations)
    if plan.happened("truncated"):
        raw = raw[: int(len(raw) * 0.7)].rsplit("\n", 1)[0] + "\n"
    return _answer(findings, limitations, _metrics(task, plan), citations, raw)


def _answer(
    findings: list[str], limitations: list[str], metrics: Json, citations: list[Json], raw: str
) -> Json:
    return {
        "structured_metrics": metrics,
        "key_findings": findings,
        "limitations": limitations,
        "evidence_citations": citations,
        "raw_response_text": raw,
    }


def _findings(task: SimTask, plan: RunPlan, dice: Dice) -> list[str]:
    """Return insights, then facts, then forbidden claims, unless the run shuffles them."""
    insights = [_insight(number, each, plan, dice) for number, each in enumerate(task.insights)]
    facts = [claim for fact in task.facts if (claim := _claim(fact, plan)) is not None]
    forbidden = [
        claim
        for number, claim in enumerate(task.forbidden)
        if plan.happened("forbidden_claim", f"forbidden:{number}")
    ]
    findings = [*insights, *facts, *forbidden]
    if plan.happened("shuffled_findings"):
        findings = dice.shuffle("findings", findings)
    elif forbidden:
        return findings
    return [dice.choose("opening", _OPENINGS) + findings[0], *findings[1:]] if findings else []


def _insight(number: int, insight: Statement, plan: RunPlan, dice: Dice) -> str:
    target = f"insight:{number}"
    if plan.happened("negated_insight", target):
        return dice.choose(f"negation {number}", _NEGATIONS) + insight.text
    return _worded(insight, target, plan)


def _worded(statement: Statement, target: str, plan: RunPlan) -> str:
    said_otherwise = plan.happened("paraphrase", target)
    return statement.paraphrase if said_otherwise and statement.paraphrase else statement.text


def _claim(fact: Fact, plan: RunPlan) -> str | None:
    """Return a fact with the value that the run states, None if it states none."""
    if fact.value is None:
        return fact.claim
    value = plan.values[fact.fact_id]
    return None if value is None else restate(fact.claim, fact.value, value)


def _limitations(task: SimTask, plan: RunPlan) -> list[str]:
    stated = [
        _worded(limitation, f"limitation:{number}", plan)
        for number, limitation in enumerate(task.limitations)
        if not plan.happened("missing_caveat", f"limitation:{number}")
    ]
    return [*stated, _REFUTATION + task.forbidden[0]] if plan.happened("refuted_claim") else stated


def _metrics(task: SimTask, plan: RunPlan) -> Json:
    """Return the stated numbers by name, under the entity that a fact is about."""
    metrics: Json = {}
    for fact in task.facts:
        value = plan.values.get(fact.fact_id)
        if value is None:
            continue
        rounded = round(value, 4)
        if fact.entity is None:
            metrics[fact.metric] = rounded
        else:
            name = fact.entity[1].lower().replace("-", "_")
            metrics.setdefault(name, {})[fact.metric] = rounded
    return metrics


def _citations(task: SimTask, plan: RunPlan) -> Iterator[Json]:
    """Yield each file that the facts come from once, with the column first named."""
    columns: dict[str, list[str]] = {}
    for fact in task.facts:
        for name, used in fact.columns.items():
            columns.setdefault(name, []).extend(used)
    for name, used in columns.items():
        column = used[-1] if used else None
        text = f"{name}, column {column}" if column else name
        yield {"citation_text": text, "source_file": name, "source_column": column, "grounded": None}
    if plan.happened("fabricated_citation"):
        yield dict(_FABRICATED)


def _markdown(task: SimTask, findings: list[str], limitations: list[str], citations: list[Json]) -> str:
    sections = [
        f"# {task.title}",
        "## Findings\n\n" + "\n".join(f"{place}. {text}" for place, text in enumerate(findings, start=1)),
        "## Caveats\n\n" + "\n".join(f"- {text}" for text in limitations),
        "## Sources\n\n" + "\n".join(f"- {citation['citation_text']}" for citation in citations),
    ]
    return "\n\n".join(sections) + "\n"
