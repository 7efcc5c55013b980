"""Read structured-evaluation reports, in three generations, and the verdicts that they hold.

Newest: `schemaVersion` "v2", names in camelCase. Middle: the same without a version, names in
camelCase or snake_case. Oldest: scores from 0 to `max_score`. A category that cannot be taken is
refused by itself, the report's others are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from grade.columns import SEVERITIES
from grade.evaluation import (
    SCHEMA_VERSION,
    CategoryFault,
    EvaluationReport,
    Generation,
    ReportCategory,
    ReportFinding,
)
from grade.expressions.categories import CATEGORIES
from grade.expressions.verdicts import FAIL, PARTIAL, PASS
from grade.ingest.decoding import Unfit

_DECODER: Final = msgspec.json.Decoder(dict[str, Any])
_SLACK: Final = 1e-9
_TEN: Final = 10
_PASS_FROM: Final = 8
_PARTIAL_FROM: Final = 5
_OLDEST_MARKS: Final = ("max_score", "justification", "status", "weight")
_READ: Final = (
    *("$schema", "schemaVersion", "metadata", "reviewType", "judge", "rubricId", "rubricVersion", "intScore"),
    *("confidence", "pass", "blocking", "categories", "findings", "passCriteria", "decision"),
    *("overallDecision", "nextSteps", "summary", "extensions", "weightedScore"),
)


def read_report(text: bytes) -> EvaluationReport:
    """Read one report from its JSON text.

    Raises:
        Unfit: It is no report of a known generation.
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: It is not JSON.
    """
    return report_of(_DECODER.decode(text.decode()))


def report_of(values: Mapping[str, Any]) -> EvaluationReport:
    """Make a report of a decoded object.

    Raises:
        Unfit: It is no report of a known generation.
    """
    generation = _generation(values)
    given = _Members(values)
    listed = given.of("categories", list) or []
    extensions = dict(given.of("extensions", dict) or {})
    zeros = _zeros(extensions)
    sorted_out = [_category(each, place, generation, zeros) for place, each in enumerate(listed)]
    extensions.update({name: value for name, value in values.items() if _camel(name) not in _READ})
    categories = [each for each in sorted_out if isinstance(each, ReportCategory)]
    return EvaluationReport(
        generation=generation,
        metadata=_camel_keys(given.of("metadata", dict) or {}),
        review_type=given.of("reviewType", str) or "",
        judge=given.of("judge", dict),
        rubric_id=given.of("rubricId", str),
        rubric_version=given.of("rubricVersion", str),
        int_score=_int_score(given.get("intScore")),
        confidence=_confidence(given.get("confidence"), is_zero="overall" in zeros),
        blocking=given.of("blocking", list) or [],
        categories=categories,
        faults=[each for each in sorted_out if isinstance(each, CategoryFault)],
        findings=_findings(given.of("findings", list) or [], listed),
        pass_criteria=_camel_keys(given.of("passCriteria", dict) or {}),
        decision=_camel_keys(given.of("decision", dict) or {}),
        next_steps=_camel_keys(given.of("nextSteps", dict) or {}),
        summary=given.of("summary", str) or "",
        extensions=_with_own_status(extensions, categories),
    )


class _Members:
    """Members of an object by their camelCase name, however the writer spelled them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = {_camel(name): value for name, value in values.items()}

    def get(self, name: str) -> Any:  # noqa: ANN401
        return self._values.get(name)

    def of(self, name: str, kind: type) -> Any:  # noqa: ANN401
        value = self.get(name)
        if value is None or isinstance(value, kind):
            return value
        raise Unfit("wrong_type", f"{name} is {type(value).__name__}, not {kind.__name__}")


def _generation(values: Mapping[str, Any]) -> Generation:
    version = values.get("schemaVersion")
    if version == SCHEMA_VERSION:
        return "newest"
    if version is not None:
        raise Unfit(
            "unknown_report", f"schemaVersion is {version!r}; only {SCHEMA_VERSION!r} and none are known"
        )
    categories = values.get("categories")
    if not isinstance(categories, list) or not ({"decision", "review_type", "reviewType"} & values.keys()):
        raise Unfit("unknown_report", "a report has categories, and a decision or a review type")
    is_oldest = "weighted_score" in values or any(
        isinstance(each, dict) and set(_OLDEST_MARKS) & each.keys() for each in categories
    )
    return "oldest" if is_oldest else "middle"


def _category(
    values: object, place: int, generation: Generation, zeros: set[str]
) -> ReportCategory | CategoryFault:
    name = values.get("category") if isinstance(values, dict) else None
    if not isinstance(values, dict) or not isinstance(name, str) or not name.strip():
        words = f"category {place} has no name"
        return CategoryFault(place=place, category=None, reason="missing_field", detail=words)
    try:
        given = _Members(values)
        if generation == "oldest":
            return _oldest_category(name, given)
        return ReportCategory(
            category=name,
            score=_value(given.get("score")),
            int_score=_int_score(given.get("intScore")),
            numeric_score=given.of("numericScore", int | float),  # type: ignore[arg-type]
            confidence=_confidence(given.get("confidence"), is_zero=name in zeros),
            severity=given.of("severity", str),
            reason_codes=given.of("reasonCodes", list) or [],
            reasoning=given.of("reasoning", str) or None,
            evidence=_texts(given.get("evidence")),
        )
    except Unfit as fault:
        return CategoryFault(place=place, category=name, reason=fault.reason, detail=fault.detail)


def _oldest_category(name: str, given: _Members) -> ReportCategory:
    highest = given.get("maxScore")
    score, highest = _number(given.get("score"), "score"), 10 if highest is None else highest
    highest = _number(highest, "max_score")
    if highest <= 0:
        raise Unfit("out_of_range", f"max_score is {highest:g}; it must be above 0")
    if not 0 <= score <= highest:
        raise Unfit("out_of_range", f"score is {score:g}; it must lie from 0 to {highest:g}")
    tenfold = score * _TEN / highest + _SLACK
    return ReportCategory(
        category=name,
        score=PASS if tenfold >= _PASS_FROM else PARTIAL if tenfold >= _PARTIAL_FROM else FAIL,
        reasoning=given.of("justification", str) or None,
        evidence=_texts(given.get("evidence")),
        own_status=given.of("status", str),
    )


def _value(score: object) -> str:
    if score is None:
        raise Unfit("no_score", "the category has no score")
    if not isinstance(score, str):
        raise Unfit("wrong_type", f"score is {score!r}, not a text")
    if score not in CATEGORIES:
        raise Unfit("out_of_range", f"score is {score!r}, none of pass, partial and fail")
    return score


def _int_score(value: object) -> int | None:
    """0 means unset in this format."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unfit("wrong_type", f"intScore is {value!r}, not a whole number")
    if not 0 <= value <= 5:  # noqa: PLR2004 - the scale
        raise Unfit("out_of_range", f"intScore is {value}; it must lie from 1 to 5")
    return value or None


def _confidence(value: object, *, is_zero: bool) -> float | None:
    """0 means unset in this format; a true 0 is told among the extensions."""
    if value is None:
        return 0.0 if is_zero else None
    number = _number(value, "confidence")
    if not 0 <= number <= 1:
        raise Unfit("out_of_range", f"confidence is {number:g}; it must lie from 0 to 1")
    return number or (0.0 if is_zero else None)


def _number(value: object, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Unfit("missing_field" if value is None else "wrong_type", f"{name} is {value!r}, not a number")
    if not math.isfinite(value):
        raise Unfit("nonfinite_number", f"{name} is not finite")
    return float(value)


def _texts(value: object) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise Unfit("wrong_type", "evidence is neither a text nor a list of texts")


def _findings(top: list[Any], categories: list[Any]) -> list[ReportFinding]:
    """The report's own list, which repeats those of its categories; theirs where it has none."""
    nested = [
        {"category": each.get("category"), **finding}
        for each in categories
        if isinstance(each, dict) and isinstance(each.get("findings"), list)
        for finding in each["findings"]
        if isinstance(finding, dict)
    ]
    return [_finding(each) for each in top or nested]


def _finding(values: object) -> ReportFinding:
    try:
        finding = msgspec.convert(values, ReportFinding)
    except msgspec.ValidationError as fault:
        raise Unfit("wrong_type", f"a finding does not fit: {fault}") from fault
    if finding.severity not in SEVERITIES:
        raise Unfit("out_of_range", f"a finding has the severity {finding.severity!r}")
    return finding


def _zeros(extensions: Mapping[str, Any]) -> set[str]:
    own = extensions.get("grade")
    named = own.get("zero_confidence") if isinstance(own, dict) else None
    return {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()


def _with_own_status(extensions: dict[str, Any], categories: list[ReportCategory]) -> dict[str, Any]:
    told = {each.category: each.own_status for each in categories if each.own_status is not None}
    return extensions | ({"own_status": told} if told else {})


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _camel_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        _camel(name): _camel_keys(value) if isinstance(value, dict) else value
        for name, value in values.items()
    }
