"""Structured-evaluation reports as objects of the newest public form, and as rows of our tables.

What the form has no place for stands under `extensions.grade`, so that reading a report back gives
the rows that it was made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import polars as pl

from grade.columns import SEVERITIES
from grade.dimensions import DIMENSIONS
from grade.evaluation import OWN, SCHEMA_VERSION, EvaluationReport, ReportCategory, ReportFinding
from grade.schemas import CATEGORY_RESULTS, DECISIONS, FINDINGS, Table, check

Row = Mapping[str, Any]

_BLOCKING: Final = ("critical", "high")
_SHOWN_EVIDENCE: Final = 5
_RESULT_EXTRAS: Final = ("unit_score", "n_judges", "n_unreadable", "is_disputed")
_DECISION_EXTRAS: Final = (
    "rule",
    "needs_human_review",
    "policy",
    "policy_sha256",
    "previous_status",
    "int_score",
    "confidence",
)
_ADVICE: Final = "Look at the evidence and mend the answer."


def build_report(
    decision: Row,
    categories: Iterable[Row],
    findings: Iterable[Row],
    *,
    title: str,
    generated_at: str,
    generated_by: str,
    policy: Mapping[str, Any],
    advice: Mapping[str, str],
) -> EvaluationReport:
    """Make the report on one group.

    Args:
        decision: Its row of DECISIONS.
        categories: Its rows of CATEGORY_RESULTS.
        findings: Its rows of FINDINGS, in order.
        title: The task's title.
        generated_at: When, RFC 3339.
        generated_by: By which program.
        policy: The policy's content.
        advice: What to do about a finding, by code.
    """
    results = sorted(categories, key=lambda row: DIMENSIONS.index(row["dimension"]))
    found = list(findings)
    listed = [_finding(row, place, advice) for place, row in enumerate(found, start=1)]
    document = f"{decision['model_id']}/{decision['task_id']}"
    return EvaluationReport(
        metadata={
            "document": document,
            "documentId": document,
            "documentTitle": title,
            "generatedAt": generated_at,
            "generatedBy": generated_by,
        },
        review_type="grade",
        rubric_id="grade",
        rubric_version="1",
        int_score=decision["int_score"],
        confidence=decision["confidence"],
        blocking=sorted({row["code"] or "finding" for row in found if row["severity"] in _BLOCKING}),
        categories=[_category(row, found) for row in results if row["score"] is not None],
        findings=listed,
        pass_criteria=_criteria(policy),
        decision=_decision(decision, found),
        summary=decision["rationale"],
        extensions={OWN: _own(decision, results, found, listed)},
    )


def report_object(report: EvaluationReport) -> dict[str, Any]:
    """Return a report as an object of the newest form, ready for JSON; what is unset is left out."""
    zeros = [each.category for each in report.categories if each.confidence == 0]
    zeros += ["overall"] if report.confidence == 0 else []
    extensions = dict(report.extensions)
    if zeros:
        extensions[OWN] = {**report.own, "zero_confidence": zeros}
    status = str(report.decision.get("status", "human_review"))
    members = {
        "schemaVersion": SCHEMA_VERSION,
        "metadata": report.metadata,
        "reviewType": report.review_type,
        "judge": report.judge,
        "rubricId": report.rubric_id,
        "rubricVersion": report.rubric_version,
        "intScore": report.int_score,
        "confidence": report.confidence or None,
        "pass": status == "pass",
        "blocking": report.blocking or None,
        "categories": [_category_object(each, report.findings) for each in report.categories],
        "findings": [_finding_object(each, place) for place, each in enumerate(report.findings, start=1)],
        "passCriteria": {"minCategoriesPassing": "all", **report.pass_criteria},
        "decision": report.decision,
        "overallDecision": status,
        "nextSteps": report.next_steps,
        "summary": report.summary,
        "extensions": extensions or None,
    }
    return _present(members)


def category_rows(reports: Iterable[EvaluationReport]) -> pl.DataFrame:
    """Return the categories of reports that `build_report` made as CATEGORY_RESULTS."""
    return _frame(
        CATEGORY_RESULTS,
        [
            {
                **_group(report),
                "dimension": name,
                **extra,
                **_scored(next((each for each in report.categories if each.category == name), None)),
            }
            for report in reports
            for name, extra in report.own["categories"].items()
        ],
    )


def finding_rows(reports: Iterable[EvaluationReport]) -> pl.DataFrame:
    """Return the findings of reports that `build_report` made as FINDINGS."""
    return _frame(
        FINDINGS,
        [
            {
                **_group(report),
                "dimension": each.category,
                **{name: getattr(each, name) for name in ("severity", "code", "title", "evidence")},
                **report.own["findings"][each.id],
            }
            for report in reports
            for each in report.findings
        ],
    )


def decision_rows(reports: Iterable[EvaluationReport]) -> pl.DataFrame:
    """Return the decisions of reports that `build_report` made as DECISIONS."""
    return _frame(
        DECISIONS,
        [
            {
                **_group(report),
                **{f"n_{name}": count for name, count in report.decision["categoryCounts"].items()},
                **report.own["decision"],
                "status": report.decision["status"],
                "rationale": report.decision["rationale"],
            }
            for report in reports
        ],
    )


def _own(decision: Row, results: list[Row], found: list[Row], listed: list[ReportFinding]) -> dict[str, Any]:
    extras = {
        row["dimension"]: {name: row[name] for name in _RESULT_EXTRAS}
        | ({} if row["score"] else {name: row[name] for name in ("confidence", "reasoning")})
        for row in results
    }
    runs = {
        str(each.id): {name: row[name] for name in ("run_index", "judge_id", "description")}
        for each, row in zip(listed, found, strict=True)
    }
    return {
        "model_id": decision["model_id"],
        "task_id": decision["task_id"],
        "categories": extras,
        "findings": runs,
        "decision": {name: decision[name] for name in _DECISION_EXTRAS},
    }


def _category(row: Row, found: list[Row]) -> ReportCategory:
    own = [each for each in found if each["dimension"] == row["dimension"]]
    shown = list(dict.fromkeys(each["evidence"] for each in own if each["evidence"]))
    return ReportCategory(
        category=row["dimension"],
        score=row["score"],
        int_score=row["int_score"],
        confidence=row["confidence"],
        reason_codes=sorted({each["code"] for each in own if each["code"]}),
        reasoning=row["reasoning"],
        evidence=shown[:_SHOWN_EVIDENCE],
    )


def _finding(row: Row, place: int, advice: Mapping[str, str]) -> ReportFinding:
    return ReportFinding(
        id=f"F{place:04}",
        category=row["dimension"],
        code=row["code"],
        severity=row["severity"],
        title=row["title"],
        description=row["description"],
        recommendation=advice.get(row["code"] or "", _ADVICE),
        location=f"run {row['run_index']}",
        evidence=row["evidence"],
    )


def _criteria(policy: Mapping[str, Any]) -> dict[str, Any]:
    limits = {name: policy.get(f"max_{name}") for name in ("critical", "high", "medium")}
    severities = {name: limit for name, limit in limits.items() if limit is not None}
    told = {"maxFindingsSeverity": severities or None, "minIntScore": policy.get("min_int_score")}
    return {
        "minCategoriesPassing": "all",
        **{name: value for name, value in told.items() if value is not None},
    }


def _decision(row: Row, found: list[Row]) -> dict[str, Any]:
    counts = {name: sum(each["severity"] == name for each in found) for name in SEVERITIES}
    return {
        "status": row["status"],
        "passed": row["status"] == "pass",
        "rationale": row["rationale"],
        "findingCounts": {**counts, "total": len(found)},
        "categoryCounts": {name: row[f"n_{name}"] for name in ("pass", "partial", "fail", "total")},
    }


def _category_object(category: ReportCategory, findings: list[ReportFinding]) -> dict[str, Any]:
    nested = [
        _finding_object(each, place)
        for place, each in enumerate(findings, start=1)
        if each.category == category.category
    ]
    members = {
        "category": category.category,
        "score": category.score,
        "intScore": category.int_score,
        "numericScore": category.numeric_score,
        "confidence": category.confidence or None,
        "severity": category.severity,
        "reasonCodes": category.reason_codes or None,
        "reasoning": category.reasoning or "",
        "evidence": category.evidence or None,
        "findings": nested or None,
    }
    return _present(members)


def _finding_object(finding: ReportFinding, place: int) -> dict[str, Any]:
    members = {
        "id": finding.id or f"F{place:04}",
        "category": finding.category,
        "code": finding.code,
        "severity": finding.severity,
        "title": finding.title,
        "description": finding.description or "",
        "recommendation": finding.recommendation or _ADVICE,
        "location": finding.location,
        "evidence": finding.evidence,
        "owner": finding.owner,
        "effort": finding.effort,
    }
    return _present(members)


def _present(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _group(report: EvaluationReport) -> dict[str, Any]:
    return {"model_id": report.own["model_id"], "task_id": report.own["task_id"]}


def _scored(category: ReportCategory | None) -> dict[str, Any]:
    names = ("score", "int_score", "confidence", "reasoning")
    return {} if category is None else {name: getattr(category, name) for name in names}


def _frame(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    blank = dict.fromkeys(table.columns)
    frame = pl.DataFrame([blank | row for row in rows], schema=table.dtypes)
    return check(frame.sort(table.key, nulls_last=False, maintain_order=True), table, where="report")
