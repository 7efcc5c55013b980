"""Categorical scores as objects, for someone who has a single document to judge.

A thin view: thresholds, decision rules and averages are those of the tables. `Report.evaluate`
lays its results out as a table of one subject and asks `grade.decide`.

Examples:
    >>> report = Report("grade", "answer-1.md")
    >>> for key in ("grounding_accuracy", "insight_quality"):
    ...     report.add_category_result(CategoryResult.with_int_score(key, IntegerScore.GOOD, 0.85, "Sound."))
    >>> decision = report.evaluate()
    >>> decision.status, report.int_score, report.confidence, decision.category_counts
    ('pass', <IntegerScore.GOOD: 4>, 0.85, CategoryCounts(pass_=2, partial=0, fail=0, total=2))
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final, Self

import polars as pl

from grade.columns import SEVERITIES
from grade.decide import decide
from grade.errors import InputError
from grade.expressions.categories import INT_NAMES
from grade.expressions.verdicts import CATEGORY_OF_INT, FAIL, PARTIAL, PASS
from grade.policy import Policy
from grade.rubric_sets import GRADE_SET, RubricCategory, RubricSet
from grade.schemas import FINDING_COUNTS, JUDGED_CATEGORIES

LOW_CONFIDENCE: Final = 0.7
"""A confidence below this is low, strictly, unless another threshold is given."""

_ICONS: Final = {
    PASS: "\N{LARGE GREEN CIRCLE}",
    PARTIAL: "\N{LARGE YELLOW CIRCLE}",
    FAIL: "\N{LARGE RED CIRCLE}",
}


class ScoreValue(StrEnum):
    """A categorical score."""

    PASS = PASS
    PARTIAL = PARTIAL
    FAIL = FAIL

    def is_passing(self) -> bool:
        """Tell whether the requirements are met."""
        return self is ScoreValue.PASS

    def is_partial(self) -> bool:
        """Tell whether they are met in part."""
        return self is ScoreValue.PARTIAL

    def is_failing(self) -> bool:
        """Tell whether they are not met."""
        return self is ScoreValue.FAIL

    def icon(self) -> str:
        """Return the circle that stands for the score: green, yellow or red."""
        return _ICONS[self.value]


class IntegerScore(IntEnum):
    """A score on the scale of five steps."""

    UNACCEPTABLE = 1
    MAJOR_REVISIONS = 2
    ACCEPTABLE = 3
    GOOD = 4
    EXCELLENT = 5

    def __str__(self) -> str:
        return INT_NAMES[self.value]

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return the score for a whole number from 1 to 5.

        Raises:
            InputError: The value is anything else: it is refused, never rounded or clamped.
        """
        is_plain = isinstance(value, int) and not isinstance(value, bool)
        if is_plain and value in INT_NAMES:
            return cls(value)
        raise InputError(
            "not an integer score", got=repr(value), expected="a whole number from 1 to 5, given as such"
        )

    def is_valid(self) -> bool:
        """Tell whether the score is one of the five; a value that is not cannot be constructed."""
        return self.value in INT_NAMES

    def to_categorical(self) -> ScoreValue:
        """Return pass for 4 and 5, partial for 3, fail for 1 and 2."""
        return ScoreValue(CATEGORY_OF_INT[self.value])


@dataclass(slots=True)
class Finding:
    """Something found about a category; critical and high ones block."""

    category: str
    severity: str
    title: str
    description: str = ""

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise InputError("unknown severity", got=repr(self.severity), expected=", ".join(SEVERITIES))


@dataclass(slots=True)
class CategoryResult:
    """How a document does in one category.

    Attributes:
        category: The category's id.
        score: pass, partial or fail; None when nobody scored it.
        reasoning: Why.
        int_score: The score on five steps; None when not given.
        confidence: How sure the judge is, 0 to 1; None when no doubt is claimed.
    """

    category: str
    score: ScoreValue | None = None
    reasoning: str = ""
    int_score: IntegerScore | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        if self.score is not None:
            self.score = ScoreValue(self.score)

    @classmethod
    def with_int_score(
        cls, category: str, int_score: IntegerScore, confidence: float, reasoning: str
    ) -> CategoryResult:
        """Return a result whose category follows from its integer score."""
        result = cls(category, reasoning=reasoning)
        result.set_int_score(int_score)
        result.set_confidence(confidence)
        return result

    def set_int_score(self, int_score: IntegerScore | int) -> None:
        """Set the integer score, and the category that it means."""
        self.int_score = IntegerScore.parse(int_score)
        self.score = self.int_score.to_categorical()

    def set_confidence(self, confidence: float) -> None:
        """Set the confidence, 0 to 1."""
        self.confidence = _confidence(confidence)

    def has_low_confidence(self, threshold: float = LOW_CONFIDENCE) -> bool:
        """Tell whether the confidence lies below the threshold; none is not low, 0 is."""
        return self.confidence is not None and self.confidence < threshold


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """How many categories pass, pass in part and fail; total counts those without a score too."""

    pass_: int
    partial: int
    fail: int
    total: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, by which rule and why."""

    status: str
    rule: str
    rationale: str
    category_counts: CategoryCounts
    needs_human_review: bool


@dataclass(slots=True)
class Report:
    """The evaluation of one document.

    Attributes:
        review_type: What kind of review this is.
        document: What was judged.
        results: One result per category.
        findings: What was found.
        int_score: Overall integer score; set, or computed by `evaluate`.
        confidence: Overall confidence; set, or computed by `evaluate`.
        decision: What `evaluate` decided.
    """

    review_type: str
    document: str
    results: list[CategoryResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    int_score: IntegerScore | None = None
    confidence: float | None = None
    decision: Decision | None = None

    def add_category_result(self, result: CategoryResult) -> None:
        """Add the result of a category.

        Raises:
            InputError: The category has a result already.
        """
        if any(result.category == other.category for other in self.results):
            raise InputError("the category has a result already", where=self.document, got=result.category)
        self.results.append(result)

    def add_finding(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)

    def set_int_score(self, int_score: IntegerScore | int) -> None:
        """Set the overall integer score."""
        self.int_score = IntegerScore.parse(int_score)

    def set_confidence(self, confidence: float) -> None:
        """Set the overall confidence, 0 to 1."""
        self.confidence = _confidence(confidence)

    def evaluate(self, rubric_set: RubricSet = GRADE_SET, *, policy: Policy | None = None) -> Decision:
        """Decide on the document, and compute its integer score and confidence.

        The integer score is the weighted average of the categories' integer scores, the
        confidence that of the weakest category. Results on categories that the set does not have
        count with weight 0; a required category without a result is not scored.

        Args:
            rubric_set: Weights, titles and required categories.
            policy: Limits; the set's own if none is given.
        """
        row = decide(
            pl.DataFrame({"model_id": [self.document], "task_id": [None]}, schema_overrides=_TEXT_TASK),
            self._categories(rubric_set, policy or rubric_set.policy),
            self._finding_counts(),
            policy=policy or rubric_set.policy,
            confidence_threshold=rubric_set.confidence_threshold,
        ).row(0, named=True)
        counts = CategoryCounts(row["n_pass"], row["n_partial"], row["n_fail"], row["n_total"])
        self.int_score = None if row["int_score"] is None else IntegerScore(row["int_score"])
        self.confidence = row["confidence"]
        self.decision = Decision(
            row["status"], row["rule"], row["rationale"], counts, row["needs_human_review"]
        )
        return self.decision

    def needs_human_review(self, threshold: float = LOW_CONFIDENCE) -> bool:
        """Tell whether a person should look: a category is unsure, or the decision says so."""
        is_decided = self.decision is not None and self.decision.needs_human_review
        return is_decided or any(result.has_low_confidence(threshold) for result in self.results)

    def _categories(self, rubric_set: RubricSet, policy: Policy) -> pl.DataFrame:
        known = {category.id: category for category in rubric_set.categories}
        places = {name: place for place, name in enumerate(known)}
        given = {result.category for result in self.results}
        absent = [CategoryResult(name) for name in policy.required if name not in given]
        rows = [
            {
                **_subject(self.document, result.category),
                "title": known.get(result.category, _UNKNOWN).title or result.category,
                "ordinal": places.get(result.category, len(places)),
                "weight": known.get(result.category, _UNKNOWN).weight,
                "score": None if result.score is None else result.score.value,
                "int_score": None if result.int_score is None else result.int_score.value,
                "confidence": result.confidence,
                "is_required": result.category in policy.required,
                "is_disputed": False,
            }
            for result in [*self.results, *absent]
        ]
        return pl.DataFrame(rows, schema=JUDGED_CATEGORIES.dtypes)

    def _finding_counts(self) -> pl.DataFrame:
        rows = [
            {
                **_subject(self.document, finding.category),
                "severity": finding.severity,
                "n_findings": 1,
            }
            for finding in self.findings
        ]
        return pl.DataFrame(rows, schema=FINDING_COUNTS.dtypes)


_UNKNOWN: Final = RubricCategory("", "", 0.0)
_TEXT_TASK: Final = {"task_id": pl.String}


def _subject(document: str, category: str) -> dict[str, str | None]:
    return {"model_id": document, "task_id": None, "category_id": category}


def _confidence(value: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if is_number and 0 <= value <= 1:
        return float(value)
    raise InputError("not a confidence", got=repr(value), expected="a number from 0 to 1")
