"""What a scorecard says of decisions and findings, as sections that can be put into it and replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

import polars as pl

from grade.columns import SEVERITIES, STATUSES
from grade.dimensions import DIMENSIONS, TITLES
from grade.report.markdown import NOT_MEASURED, escape, quote, table
from grade.report.rows import Row

DECISION: Final = "Decision"
FINDINGS: Final = "Findings"

_HEADING: Final = "## "
_BEFORE_FINDINGS: Final = "Task by task"
_SHOWN: Final = 12
_STATUS_WORDS: Final = {
    "pass": "pass",
    "conditional": "conditional",
    "human_review": "human review",
    "fail": "fail",
}
_NOTED_KEY: Final = ("task_id", "dimension", "severity", "code", "title", "description")


def note_findings(findings: pl.LazyFrame) -> pl.DataFrame:
    """Bring the findings of all runs of a group on the same thing together.

    Args:
        findings: FINDINGS.

    Returns:
        One row per model, task, dimension, severity, code, title and description: n_runs that
        show it, and evidence, the first there is. The gravest come first.
    """
    order = pl.col("severity").cast(pl.Enum(SEVERITIES))
    return (
        findings.group_by("model_id", *_NOTED_KEY)
        .agg(
            n_runs=pl.col("run_index").n_unique().cast(pl.Int64),
            evidence=pl.col("evidence").drop_nulls().min(),
        )
        .sort("model_id", order, "code", "title", "task_id", "description", nulls_last=True)
        .collect()
    )


def decision_section(decisions: Sequence[Row]) -> list[str]:
    """Return the section about what was decided on one model and its tasks.

    Args:
        decisions: Rows of DECISIONS, of the model; its own has no task_id.
    """
    own, tasks = _parted(decisions)
    tasks.sort(key=lambda row: (STATUSES.index(row["status"]), row["task_id"]))
    verdict = f"**{_STATUS_WORDS[own['status']].capitalize()}** by the policy {escape(own['policy'])}"
    why = f"(rule {escape(own['rule'])}). {escape(own['rationale'])}{_changed(own)}"
    lines = [
        f"{_HEADING}{DECISION}",
        "",
        f"{verdict} {why}",
        "",
        *table(
            ["Task", "Decision", "Why", "Pass", "Partial", "Fail", "1 to 5"],
            [_task_row(row) for row in tasks],
            n_text=3,
        ),
        "",
    ]
    if any(row["status"] == "human_review" for row in decisions):
        lines += ["`grade review queue` lists what a person should look at, most valuable first.", ""]
    return lines


def findings_section(noted: Sequence[Row]) -> list[str]:
    """Return the section about what was found, the gravest first, with the sentences that show it.

    Args:
        noted: Rows of `note_findings`, of one model.
    """
    lines = [f"{_HEADING}{FINDINGS}", ""]
    if not noted:
        return [*lines, "Nothing was found.", ""]
    for (severity, title), group in groupby(noted, key=lambda row: (row["severity"], row["title"])):
        rows = list(group)
        lines += [f"**{severity.capitalize()}: {escape(title)}** ({_extent(rows)})", ""]
        lines += [_finding_line(row) for row in rows[:_SHOWN]]
        if len(rows) > _SHOWN:
            lines.append(f"- and {len(rows) - _SHOWN:,} more in findings.parquet")
        lines.append("")
    return lines


def with_sections(text: str, decision: Sequence[str], findings: Sequence[str]) -> str:
    """Return a scorecard with these two sections, in place of those that it had.

    The decision comes first, the findings before the details of tasks.
    """
    head, sections = _cut(text.splitlines())
    kept = [lines for lines in sections if lines[0] not in {_HEADING + DECISION, _HEADING + FINDINGS}]
    details = next(
        (place for place, lines in enumerate(kept) if lines[0] == _HEADING + _BEFORE_FINDINGS), len(kept)
    )
    ordered = [head, list(decision), *kept[:details], list(findings), *kept[details:]]
    return "\n".join(line for lines in ordered for line in lines).rstrip() + "\n"


def decision_extension(decisions: Sequence[Row]) -> dict[str, Any]:
    """Return what a model's result file says under `extensions.decision`, from its rows of DECISIONS."""
    own, tasks = _parted(decisions)
    tasks.sort(key=lambda row: row["task_id"])
    return _plain(own) | {
        "policy": own["policy"],
        "policy_sha256": own["policy_sha256"],
        "per_task": {row["task_id"]: _plain(row) for row in tasks},
    }


def _parted(decisions: Sequence[Row]) -> tuple[Row, list[Row]]:
    """The row of the model itself, and those of its tasks."""
    own = next(row for row in decisions if row["task_id"] is None)
    return own, [row for row in decisions if row["task_id"] is not None]


def _plain(row: Row) -> dict[str, Any]:
    counts = {name: row[f"n_{name}"] for name in ("pass", "partial", "fail", "total")}
    names = ("status", "rule", "rationale", "int_score", "confidence", "needs_human_review")
    return {name: row[name] for name in names} | {"category_counts": counts}


def _changed(row: Row) -> str:
    before = row["previous_status"]
    if before is None or before == row["status"]:
        return ""
    return f" Before the last review or policy it was: {_STATUS_WORDS[before]}."


def _task_row(row: Row) -> list[str]:
    integer = NOT_MEASURED if row["int_score"] is None else str(row["int_score"])
    counts = [str(row[f"n_{name}"]) for name in ("pass", "partial", "fail")]
    before = row["previous_status"]
    was = f" (was {_STATUS_WORDS[before]})" if before not in {None, row["status"]} else ""
    status = _STATUS_WORDS[row["status"]] + was
    return [escape(row["task_id"]), status, escape(row["rationale"]), *counts, integer]


def _extent(rows: Iterable[Row]) -> str:
    listed = list(rows)
    names = {TITLES[row["dimension"]] for row in listed if row["dimension"] in DIMENSIONS}
    n_tasks = len({row["task_id"] for row in listed})
    return f"{', '.join(sorted(names))}; {n_tasks} task{'s' * (n_tasks != 1)}"


def _finding_line(row: Row) -> str:
    about = f": {escape(row['description'])}" if row["description"] else ""
    shown = f" – {quote(row['evidence'])}" if row["evidence"] else ""
    runs = f"{row['n_runs']} run{'s' * (row['n_runs'] != 1)}"
    return f"- {escape(row['task_id'])}, {runs}{about}{shown}"


def _cut(lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Cut a document at its second-level headings."""
    places = [place for place, line in enumerate(lines) if line.startswith(_HEADING)]
    ends = [*places[1:], len(lines)]
    head = list(lines[: places[0]]) if places else list(lines)
    return head, [list(lines[start:end]) for start, end in zip(places, ends, strict=True)] if places else []
