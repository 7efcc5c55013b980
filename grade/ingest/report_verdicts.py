"""Stage ingest, reports: the verdicts that structured-evaluation reports hold, one for each category.

A report says which run it judges by `model_id`, `task_id` and `run_index` among its extensions, or
by a document called MODEL/TASK/RUN. Its categories are dimensions, or claims by their id.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from grade.evaluation import CategoryFault, EvaluationReport, ReportCategory, ReportFinding
from grade.ingest.batch import Records
from grade.ingest.decoding import Decoded, Unfit, explain
from grade.ingest.judgements import Judgement, VerdictRecord, finish_judgement
from grade.ingest.limits import DEFAULT_LIMITS, Limits
from grade.ingest.reports import read_report
from grade.ingest.verdicts import VerdictBatch, verdict_batch

_CLAIM: Final = re.compile(r"(insight|limitation|forbidden):[0-9]+|fact:.+")
_DOCUMENT: Final = re.compile(r"(?P<model_id>.+)/(?P<task_id>[^/]+)/(?P<run_index>[0-9]{1,9})")
_RUN: Final = ("model_id", "task_id", "run_index")
_NAMELESS: Final = "report"


class _Shape(msgspec.Struct):
    categories: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    judge_id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_SHAPE: Final = msgspec.json.Decoder(_Shape)


def split_reports(records: Records) -> tuple[Records, Records]:
    """Part a batch into reports and plain verdicts; what is refused already stays with the verdicts.

    Args:
        records: JSON texts, as cut from a file.

    Returns:
        The reports, and the others.
    """
    reports, others = Records(records.file), Records(records.file, refused=records.refused)
    for item, line, offset, raw in zip(
        records.items, records.lines, records.offsets, records.raws, strict=True
    ):
        part = reports if isinstance(item, bytes) and is_report(item) else others
        part.add(item, line=line, offset=offset, raw=raw)
    return reports, others


def is_report(text: bytes) -> bool:
    """Tell whether a JSON text is meant as a report: it has categories, and is no single verdict."""
    if b'"categories"' not in text:
        return False
    try:
        shape = _SHAPE.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return shape.categories is not msgspec.UNSET and shape.judge_id is msgspec.UNSET


def decode_reports(records: Records, *, limits: Limits = DEFAULT_LIMITS) -> VerdictBatch:
    """Decode a batch of reports as verdicts.

    Args:
        records: JSON texts, each one report.
        limits: What a record may hold at most.

    Returns:
        One verdict or refusal for each category, and one refusal for a report that cannot be read.
    """
    good = Records(records.file, refused=list(records.refused))
    values: list[Judgement] = []
    for item, line, offset, raw in zip(
        records.items, records.lines, records.offsets, records.raws, strict=True
    ):
        try:
            report = read_report(item)
            run = _run(report)
        except (msgspec.MsgspecError, Unfit, RecursionError, ValueError) as error:
            good.refuse(line, offset, *explain(error, item), raw)
            continue
        listed: list[ReportCategory | CategoryFault] = [*report.categories, *report.faults]
        for each in listed:
            outcome = _judgement(report, run, each, limits)
            if isinstance(outcome, Judgement):
                values.append(outcome)
                good.add(None, line=line, offset=offset, raw=raw)
            else:
                good.refuse(line, offset, *outcome, _trace(report, run, each))
    return verdict_batch(Decoded(values, good))


def _judgement(
    report: EvaluationReport, run: dict[str, Any], category: ReportCategory | CategoryFault, limits: Limits
) -> Judgement | tuple[str, str]:
    if isinstance(category, CategoryFault):
        return category.reason, category.detail
    findings = [_finding(each) for each in report.findings if each.category == category.category]
    fields = {
        **run,
        **_target(category.category),
        "judge_id": _judge_id(report),
        "score": category.score,
        "int_score": category.int_score,
        "confidence": category.confidence,
        "reasoning": category.reasoning,
        "findings": findings or None,
    }
    try:
        return finish_judgement(msgspec.convert(fields, VerdictRecord), limits=limits)
    except (msgspec.ValidationError, Unfit) as error:
        return explain(error, fields)


def _finding(finding: ReportFinding) -> dict[str, str]:
    named = {"severity": finding.severity, "title": finding.title}
    others = {"description": finding.description, "code": finding.code}
    return named | {name: text for name, text in others.items() if text}


def _target(category: str) -> dict[str, str]:
    return {"claim_id" if _CLAIM.fullmatch(category) else "dimension": category}


def _judge_id(report: EvaluationReport) -> str:
    judge = report.judge or {}
    named = (judge.get("judge_id"), report.metadata.get("reviewerId"), report.metadata.get("generatedBy"))
    return next((name for name in named if isinstance(name, str) and name.strip()), _NAMELESS)


def _run(report: EvaluationReport) -> dict[str, Any]:
    """Return the key of the run that the report judges."""
    for told in (report.extensions, report.own):
        if all(name in told for name in _RUN):
            return {name: told[name] for name in _RUN}
    for document in (report.metadata.get("documentId"), report.metadata.get("document")):
        found = _DOCUMENT.fullmatch(document) if isinstance(document, str) else None
        if found:
            return {**found.groupdict(), "run_index": int(found["run_index"])}
    raise Unfit("unknown_run", "the report names no run: neither extensions nor a document MODEL/TASK/RUN")


def _trace(report: EvaluationReport, run: dict[str, Any], category: ReportCategory | CategoryFault) -> bytes:
    """Return what a refused category says of itself, so that its judge is known to have been asked."""
    named = _target(category.category) if category.category else {}
    return msgspec.json.encode({**run, **named, "judge_id": _judge_id(report)})
