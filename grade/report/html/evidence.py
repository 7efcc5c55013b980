"""Parts of a report that show what was wrong: facts, forbidden claims, findings, decisions."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from grade.dimensions import TITLES
from grade.report.html.data import ReportData
from grade.report.html.markup import Child, tag
from grade.report.html.tables import Cell, Heading, count, data_table, named, note, shared, words
from grade.report.markdown import NOT_MEASURED, number

_SHOWN: Final = 20
_QUOTED: Final = 3
_SEVERITIES: Final = ("critical", "high", "medium", "low", "info")
_ICONS: Final = {
    "pass": "🟢 pass",
    "conditional": "🟡 conditional",
    "fail": "🔴 fail",
    "human_review": "⚪ human review",
}


def missed_facts(data: ReportData) -> Child:
    """Return the gold facts that most runs miss, with the right value."""
    if data.misses.is_empty():
        return note("Every run states every gold fact.")
    total = data.task_scores.group_by("task_id").agg(n_all=pl.col("n_runs").sum())
    facts = (
        data.misses.group_by("task_id", "fact_id", "claim_text", "gold_value", "tolerance")
        .agg(pl.col("n_missed").sum(), n_models=pl.len(), models=pl.col("model_id").sort())
        .join(total, on="task_id")
        .with_columns(share=pl.col("n_missed") / pl.col("n_all"))
        .sort("share", "task_id", "fact_id", descending=[True, False, False])
    )
    headings = [
        Heading("Task", is_number=False),
        Heading("Fact", is_number=False),
        Heading("Right value"),
        Heading("Missed in"),
        Heading("Runs"),
        Heading("Models that miss it", is_number=False),
    ]
    return [
        data_table(headings, map(_fact, facts.head(_SHOWN).rows(named=True)), label="Facts missed most"),
        _more(facts.height, "fact_misses"),
    ]


def _fact(row: dict[str, Any]) -> list[Cell]:
    gold, slack = row["gold_value"], row["tolerance"]
    margin = tag("small", f" ± {number(slack)}") if gold is not None and slack else None
    return [
        named(row["task_id"]),
        Cell([tag("small", row["fact_id"]), row["claim_text"]], row["claim_text"]),
        Cell(NOT_MEASURED if gold is None else [number(gold), margin], gold),
        shared(row["share"]),
        Cell(f"{row['n_missed']:,} of {row['n_all']:,}", row["n_missed"]),
        words(", ".join(row["models"])),
    ]


def forbidden_claims(data: ReportData) -> Child:
    """Return the forbidden claims made most, each with sentences that make it."""
    if data.forbidden.is_empty():
        return note("No run makes a forbidden claim.")
    key = ["task_id", "claim_id", "claim_text"]
    sayings = (
        data.forbidden.sort("model_id", "run_index")
        .group_by(*key, "evidence", maintain_order=True)
        .agg(n=pl.len(), models=pl.col("model_id").unique(maintain_order=True))
        .sort("n", "evidence", descending=[True, False], nulls_last=True)
    )
    claims = (
        sayings.group_by(key)
        .agg(
            n_made=pl.col("n").sum(),
            n_models=pl.col("models").explode().n_unique(),
            quotes=pl.struct("evidence", "n", "models").head(_QUOTED),
        )
        .sort("n_made", "task_id", "claim_id", descending=[True, False, False])
    )
    headings = [
        Heading("Task", is_number=False),
        Heading("Forbidden claim, and who says it", is_number=False),
        Heading("Runs"),
        Heading("Models"),
    ]
    return [
        data_table(
            headings, map(_claim, claims.head(_SHOWN).rows(named=True)), label="Forbidden claims made"
        ),
        _more(claims.height, "forbidden_claims_made"),
    ]


def _claim(row: dict[str, Any]) -> list[Cell]:
    quotes = [tag("blockquote", _quoted(item), tag("small", _who(item))) for item in row["quotes"]]
    return [
        named(row["task_id"]),
        Cell([tag("strong", row["claim_text"]), quotes], row["claim_text"]),
        count(row["n_made"]),
        count(row["n_models"]),
    ]


def _quoted(item: dict[str, Any]) -> str:
    return item["evidence"] or "said in other words, according to the verdicts"


def _who(item: dict[str, Any]) -> str:
    return f"{', '.join(item['models'])} ({item['n']:,} run{'s' * (item['n'] != 1)})"


def decisions(data: ReportData) -> Child:
    """Return the decision about each model, with its rule."""
    if data.decisions.is_empty():
        return note("This result has no decisions.")
    of_models = data.decisions.filter(pl.col("task_id").is_null())
    rows = {row["model_id"]: row for row in of_models.rows(named=True)}
    headings = [
        Heading("Model", is_number=False),
        Heading("Decision", is_number=False),
        Heading("Rule", is_number=False),
        Heading("Why", is_number=False),
        Heading("Pass"),
        Heading("Partial"),
        Heading("Fail"),
        Heading("Integer score"),
    ]
    cells = [_decision(rows[model]) for model in data.models if model in rows]
    return data_table(headings, cells, label="Decisions")


def _decision(row: dict[str, Any]) -> list[Cell]:
    return [
        named(row["model_id"]),
        Cell(_ICONS.get(row["status"], row["status"]), row["status"]),
        words(row["rule"]),
        words(row["rationale"]),
        count(row["n_pass"]),
        count(row["n_partial"]),
        count(row["n_fail"]),
        count(row["int_score"]),
    ]


def findings(data: ReportData) -> Child:
    """Return how many findings each model has, and the gravest of them with evidence."""
    if data.findings.is_empty():
        return note("This result has no findings.")
    order = pl.col("severity").replace_strict(_SEVERITIES, range(len(_SEVERITIES)), default=len(_SEVERITIES))
    kinds = (
        data.findings.with_columns(order=order)
        .sort("order", "model_id", "task_id", "run_index")
        .group_by("severity", "code", "title", "dimension", maintain_order=True)
        .agg(
            pl.col("order").first(),
            n=pl.len(),
            models=pl.col("model_id").unique(maintain_order=True),
            quotes=pl.struct("model_id", "task_id", "run_index", "evidence").head(_QUOTED),
        )
        .sort("order", "n", "title", descending=[False, True, False])
    )
    headings = [
        Heading("Severity", is_number=False),
        Heading("Finding, with examples", is_number=False),
        Heading("Dimension", is_number=False),
        Heading("Times"),
        Heading("Models"),
    ]
    return [
        data_table(headings, map(_finding, kinds.head(_SHOWN).rows(named=True)), label="Findings"),
        _more(kinds.height, "findings"),
    ]


def _finding(row: dict[str, Any]) -> list[Cell]:
    quotes = [
        tag(
            "blockquote",
            item["evidence"],
            tag("small", f"{item['model_id']}, {item['task_id']}, run {item['run_index']}"),
        )
        for item in row["quotes"]
        if item["evidence"]
    ]
    code = tag("small", row["code"]) if row["code"] else None
    return [
        Cell(row["severity"], row["order"], is_heading=True),
        Cell([row["title"], code, quotes], row["title"]),
        words(TITLES.get(row["dimension"], row["dimension"])),
        count(row["n"]),
        Cell(str(len(row["models"])), len(row["models"])),
    ]


def _more(total: int, table: str) -> Child:
    left = total - _SHOWN
    return note(f"{left:,} more are in ", tag("code", table), ".") if left > 0 else None
