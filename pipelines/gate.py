"""`grade gate`: stop a pipeline when a model's decision is worse than asked."""

from __future__ import annotations

from pathlib import Path

from grade.columns import STATUSES
from grade.errors import GateError, InputError
from grade.hints import require_known
from grade.report.gate import GateCase, gate_cases, render_annotations, render_junit, worse_lines
from pipelines.desk.folder import open_result, require_tables
from pipelines.places import Place
from pipelines.write import writing


def check_gate(
    results: Place, *, min_status: str, models: tuple[str, ...] = (), junit: Path | None = None
) -> tuple[GateCase, ...]:
    """Hold a result against a gate.

    Args:
        results: The result.
        min_status: The worst status that passes.
        models: Only these models; all by default.
        junit: Where to write JUnit XML.

    Returns:
        One case for each model.

    Raises:
        InputError: The folder is no result, or lacks a model that was named.
        OutputError: The JUnit file cannot be written.
    """
    require_known(min_status, STATUSES, "unknown status")
    result = open_result(results)
    require_tables(result, ("decisions",))
    cases = gate_cases(result.frame("decisions"), min_status=min_status)
    for model in models:
        require_known(model, [case.model_id for case in cases], "the result has no such model")
    chosen = tuple(case for case in cases if not models or case.model_id in models)
    if not chosen:
        raise InputError("the result holds no model", where=str(results))
    if junit is not None:
        with writing(junit):
            junit.write_text(render_junit(chosen, min_status=min_status), encoding="utf-8")
    return chosen


def describe_gate(cases: tuple[GateCase, ...], *, min_status: str, for_github: bool = False) -> list[str]:
    """Return what the gate prints: one line for each model, and the tasks behind each failure."""
    if for_github:
        return render_annotations(cases, min_status=min_status)
    lines = []
    for case in cases:
        mark = "ok  " if case.is_met else "FAIL"
        lines.append(f"{mark} {case.model_id}: {case.status} ({case.rule}). {case.rationale}")
        if not case.is_met:
            lines += [f"       {line}" for line in worse_lines(case)]
    return lines


def require_gate(cases: tuple[GateCase, ...], *, min_status: str) -> None:
    """Stop with exit code 1 when a model does not pass.

    Raises:
        GateError: Names the models.
    """
    failed = [case.model_id for case in cases if not case.is_met]
    if failed:
        raise GateError(
            f"{len(failed)} of {len(cases)} models do not pass the gate",
            got=", ".join(failed),
            expected=f"a decision of {min_status} or better",
            hint="grade review queue lists what a person can settle",
        )
