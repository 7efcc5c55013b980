"""A structured-evaluation report as a record: one document judged in categories, whatever its form on disk.

Readers make it from three generations of the public format, the writer makes the newest of it.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

Generation = Literal["newest", "middle", "oldest"]

SCHEMA_VERSION: Final = "v2"
"""What the newest generation calls itself."""

OWN: Final = "grade"
"""The key below `extensions` that holds what the public format has no place for."""


class ReportFinding(msgspec.Struct, kw_only=True):
    """A finding of a report; texts that the report does not give are None."""

    category: str
    severity: str
    title: str
    id: str | None = None
    code: str | None = None
    description: str | None = None
    recommendation: str | None = None
    location: str | None = None
    evidence: str | None = None
    owner: str | None = None
    effort: str | None = None


class ReportCategory(msgspec.Struct, kw_only=True):
    """A category of a report.

    Attributes:
        category: Its id.
        score: pass, partial or fail.
        int_score: 1 to 5; None when unset.
        numeric_score: A number on the report's own scale.
        confidence: 0 to 1; None when unset.
        severity: As the report gives it.
        reason_codes: Fixed codes.
        reasoning: Why.
        evidence: Texts.
        own_status: What an oldest report said itself, by other cuts.
    """

    category: str
    score: str
    int_score: int | None = None
    numeric_score: float | None = None
    confidence: float | None = None
    severity: str | None = None
    reason_codes: list[str] = []
    reasoning: str | None = None
    evidence: list[str] = []
    own_status: str | None = None


class CategoryFault(msgspec.Struct, kw_only=True):
    """A category that cannot be taken: its place, id if it has one, a code of `REASONS` and the words."""

    place: int
    category: str | None
    reason: str
    detail: str


class EvaluationReport(msgspec.Struct, kw_only=True):
    """A report.

    Attributes:
        generation: The form that it was read from.
        metadata: As in the newest generation.
        review_type: What kind of review it is.
        judge: Who judged, with the public format's own names.
        rubric_id: The rubric.
        rubric_version: Its version.
        int_score: Overall, 1 to 5; None when unset.
        confidence: Overall; None when unset.
        blocking: Codes of what blocks.
        categories: The categories that could be read.
        faults: The others.
        findings: All findings, each once.
        pass_criteria: As in the newest generation, or the oldest one's own.
        decision: As in the newest generation.
        next_steps: As in the newest generation.
        summary: A text.
        extensions: Everything else, by name.
    """

    generation: Generation = "newest"
    metadata: dict[str, Any]
    review_type: str
    judge: dict[str, Any] | None = None
    rubric_id: str | None = None
    rubric_version: str | None = None
    int_score: int | None = None
    confidence: float | None = None
    blocking: list[str] = []
    categories: list[ReportCategory]
    faults: list[CategoryFault] = []
    findings: list[ReportFinding] = []
    pass_criteria: dict[str, Any] = {}
    decision: dict[str, Any] = {}
    next_steps: dict[str, Any] = {}
    summary: str = ""
    extensions: dict[str, Any] = {}

    @property
    def own(self) -> dict[str, Any]:
        """What stands under `extensions.grade`."""
        found = self.extensions.get(OWN)
        return found if isinstance(found, dict) else {}
