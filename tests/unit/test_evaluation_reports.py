"""Three generations of the public report format, written by hand from its description."""

from __future__ import annotations

import copy
import json

import polars as pl
import pytest

from grade.ingest.batch import Records
from grade.ingest.decoding import Unfit
from grade.ingest.report_verdicts import decode_reports, is_report, split_reports
from grade.ingest.reports import read_report
from grade.report.evaluation import report_object

FINDING = {
    "id": "F1",
    "category": "evidence_linkage",
    "code": "no_source",
    "severity": "medium",
    "title": "No source",
    "description": "The rate has no source.",
    "recommendation": "Name the file.",
    "owner": "analyst",
}
NEWEST = {
    "$schema": "report.schema.json",
    "schemaVersion": "v2",
    "metadata": {
        "document": "acme/model-a/T-1/3",
        "generatedAt": "2026-06-01T09:00:00Z",
        "generatedBy": "some-judge 1.2",
        "reviewerId": "r-7",
    },
    "reviewType": "answer",
    "judge": {"judge_id": "judge-1", "model": "m", "temperature": 0.0, "tokens_used": {"input_tokens": 3}},
    "rubricId": "grade",
    "intScore": 4,
    "confidence": 0.8,
    "pass": False,
    "categories": [
        {
            "category": "evidence_linkage",
            "score": "partial",
            "intScore": 3,
            "numericScore": 3.2,
            "confidence": 0.8,
            "severity": "medium",
            "reasonCodes": ["no_source"],
            "reasoning": "One rate has no source.",
            "evidence": ["The rate is 80.9%."],
            "findings": [FINDING],
        },
        {
            "category": "structure_usability",
            "score": "pass",
            "intScore": 0,
            "confidence": 0,
            "reasoning": "Clear.",
        },
        {"category": "forbidden:0", "score": "fail", "reasoning": "Not said."},
    ],
    "findings": [FINDING],
    "passCriteria": {"minCategoriesPassing": "all", "maxFindingsSeverity": {"critical": 0}},
    "decision": {
        "status": "conditional",
        "passed": False,
        "rationale": "Mixed.",
        "findingCounts": {"medium": 1, "total": 1},
        "categoryCounts": {"pass": 1, "partial": 1, "fail": 1, "total": 3},
    },
    "overallDecision": "conditional",
    "nextSteps": {"immediate": [{"action": "mend"}]},
    "summary": "Fair.",
    "extensions": {"team": "blue"},
    "costCentre": 7,
}
MIDDLE = {
    "metadata": NEWEST["metadata"],
    "review_type": "answer",
    "judge": NEWEST["judge"],
    "categories": [
        {
            "category": "evidence_linkage",
            "score": "partial",
            "reasoning": "One rate has no source.",
            "evidence": [],
        },
        {"category": "structure_usability", "score": "pass", "reasoning": "Clear."},
    ],
    "findings": [FINDING],
    "pass_criteria": {"min_categories_passing": "all_required"},
    "decision": {"status": "conditional", "passed": False, "category_counts": {"pass": 1, "partial": 1}},
    "next_steps": {"rerun_command": "again"},
    "summary": "Fair.",
}
OLDEST = {
    "metadata": {**NEWEST["metadata"], "generated_by": "old-judge"},
    "review_type": "answer",
    "weighted_score": 6.4,
    "categories": [
        {
            "category": "evidence_linkage",
            "weight": 0.5,
            "score": 7.9,
            "status": "pass",
            "justification": "One rate has no source.",
            "evidence": "The rate is 80.9%.",
        },
        {"category": "structure_usability", "weight": 0.5, "score": 4, "max_score": 5, "status": "warn"},
        {
            "category": "consistency",
            "score": 4.9,
            "max_score": 10,
            "status": "fail",
            "justification": "Unstable.",
        },
    ],
    "findings": [FINDING],
    "pass_criteria": {"max_critical": 0, "max_high": 0, "max_medium": -1, "min_score": 7.0},
    "decision": {"status": "conditional", "passed": False, "rationale": "Mixed.", "weighted_score": 6.4},
}
GENERATIONS = {"newest": NEWEST, "middle": MIDDLE, "oldest": OLDEST}


def read(values: dict):
    return read_report(json.dumps(values).encode())


def verdicts(*reports: dict) -> tuple[list[dict], list]:
    records = Records("r.json")
    for line, values in enumerate(reports, start=1):
        text = json.dumps(values).encode()
        records.add(text, line=line, offset=0, raw=text)
    batch = decode_reports(records)
    return batch.verdicts.rows(named=True), batch.refused


def changed(values: dict, place: int, **members: object) -> dict:
    bent = copy.deepcopy(values)
    bent["categories"][place].update(members)
    return bent


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_report_is_known_by_its_form_and_survives_the_newest_one(generation):
    report = read(GENERATIONS[generation])
    assert report.generation == generation
    assert report.review_type == "answer"
    again = read(report_object(report))
    assert again.generation == "newest"
    for name in ("metadata", "categories", "findings", "int_score", "confidence", "summary", "next_steps"):
        if name == "categories":
            assert [
                (each.category, each.score, each.int_score, each.confidence, each.reasoning, each.evidence)
                for each in again.categories
            ] == [
                (each.category, each.score, each.int_score, each.confidence, each.reasoning, each.evidence)
                for each in report.categories
            ]
        else:
            assert getattr(again, name) == getattr(report, name), name
    assert again.decision["status"] == "conditional"


def test_the_newest_form_is_written_as_it_was_read():
    written = report_object(read(NEWEST))
    expected = copy.deepcopy(NEWEST) | {"extensions": {"team": "blue", "costCentre": 7}}
    for name in ("$schema", "costCentre"):
        del expected[name]
    expected["categories"][0]["findings"] = [FINDING]
    for name in ("intScore", "confidence"):
        del expected["categories"][1][name]
    assert written == expected


def test_old_scores_are_converted_at_eight_and_five():
    report = read(OLDEST)
    assert [(each.category, each.score) for each in report.categories] == [
        ("evidence_linkage", "partial"),  # 7.9, though its own status calls it a pass
        ("structure_usability", "pass"),  # 4 of 5 is 8 of 10
        ("consistency", "fail"),
    ]
    assert report.categories[0].evidence == ["The rate is 80.9%."]
    assert report.extensions["own_status"]["evidence_linkage"] == "pass"


def test_a_true_confidence_of_zero_survives():
    report = read(NEWEST)
    report.categories[1].confidence = 0.0
    written = report_object(report)
    assert "confidence" not in written["categories"][1]
    assert read(written).categories[1].confidence == 0.0
    assert read(written).categories[2].confidence is None


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_category_is_a_verdict(generation):
    rows, refused = verdicts(GENERATIONS[generation])
    assert refused == []
    first = rows[0]
    assert (first["model_id"], first["task_id"], first["run_index"]) == ("acme/model-a", "T-1", 3)
    assert (first["dimension"], first["score"]) == ("evidence_linkage", "partial")
    assert first["reasoning"] == "One rate has no source."
    assert [each["code"] for each in first["findings"]] == ["no_source"]  # once, though it stands twice
    assert {row["judge_id"] for row in rows} == {"r-7" if generation == "oldest" else "judge-1"}


def test_zero_is_unset_and_a_claim_is_a_claim():
    rows, _ = verdicts(NEWEST)
    assert (rows[1]["int_score"], rows[1]["confidence"]) == (None, None)
    assert (rows[2]["claim_id"], rows[2]["dimension"], rows[2]["score"]) == ("forbidden:0", None, "fail")


@pytest.mark.parametrize(
    ("place", "members", "reason"),
    [
        (0, {"score": "4 - good"}, "out_of_range"),
        (0, {"score": "nan"}, "out_of_range"),
        (0, {"score": 4}, "wrong_type"),
        (0, {"score": True}, "wrong_type"),
        (0, {"score": None}, "no_score"),
        (0, {"intScore": 4.5}, "wrong_type"),
        (0, {"intScore": 6}, "out_of_range"),
        (0, {"intScore": True}, "wrong_type"),
        (0, {"intScore": "4.2/10"}, "wrong_type"),
        (0, {"confidence": 87}, "out_of_range"),
        (0, {"confidence": "high"}, "wrong_type"),
        (0, {"category": ""}, "missing_field"),
    ],
)
def test_a_category_that_cannot_be_read_is_refused_alone(place, members, reason):
    rows, refused = verdicts(changed(NEWEST, place, **members))
    assert [each.reason for each in refused] == [reason]
    assert len(rows) == 2
    assert b"judge-1" in refused[0].raw


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"max_score": 0}, "out_of_range"),
        ({"max_score": -10}, "out_of_range"),
        ({"score": 10.5}, "out_of_range"),
        ({"score": -1}, "out_of_range"),
        ({"score": "7.5"}, "wrong_type"),
        ({"score": True}, "wrong_type"),
        ({"score": None}, "missing_field"),
    ],
)
def test_an_old_score_outside_its_range_is_refused(members, reason):
    _, refused = verdicts(changed(OLDEST, 0, **members))
    assert [each.reason for each in refused] == [reason]


def test_a_report_that_names_no_run_or_no_known_form_is_refused_whole():
    nameless = NEWEST | {"metadata": {"document": "doc.md"}}
    rows, refused = verdicts(nameless, NEWEST | {"schemaVersion": "v3"}, {"categories": []}, NEWEST)
    assert [each.reason for each in refused] == ["unknown_run", "unknown_report", "unknown_report"]
    assert [each.line for each in refused] == [1, 2, 3]
    assert len(rows) == 3
    named, _ = verdicts(nameless | {"extensions": {"model_id": "m", "task_id": "T", "run_index": 0}})
    assert named[0]["model_id"] == "m"


def test_reports_are_told_from_verdicts():
    report, verdict = json.dumps(NEWEST).encode(), b'{"judge_id": "j", "reasoning": "\\"categories\\""}'
    assert is_report(report)
    assert not is_report(verdict)
    assert not is_report(b'{"categories": [')
    records = Records("v.jsonl")
    for line, text in enumerate((report, verdict), start=1):
        records.add(text, line=line, offset=0, raw=text)
    records.refuse(3, 0, "bad_json", "")
    reports, others = split_reports(records)
    assert (reports.lines, others.lines, len(others.refused)) == ([1], [2], 1)


def test_members_of_the_wrong_type_are_refused():
    with pytest.raises(Unfit, match="categories is str"):
        read(NEWEST | {"categories": "all"})
    with pytest.raises(Unfit, match="finding"):
        read(NEWEST | {"findings": [{"severity": "high"}]})
    with pytest.raises(Unfit, match="severity"):
        read(NEWEST | {"findings": [FINDING | {"severity": "grave"}]})


def test_no_reports_give_no_rows():
    assert isinstance(decode_reports(Records("r.json")).verdicts, pl.DataFrame)
