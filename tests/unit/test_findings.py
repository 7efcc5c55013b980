from __future__ import annotations

import polars as pl
import pytest

from grade.findings import KINDS, add_model_counts, count_findings, make_findings
from grade.schemas import CITATION_CHECKS, CLAIM_CHECKS, FINDINGS, RUN_SCORES, VERDICTS

KEY = {"model_id": "m", "task_id": "T", "run_index": 0}
GOLD = pl.DataFrame(
    {
        "task_id": ["T", "T"],
        "claim_id": ["forbidden:0", "limitation:0"],
        "claim_text": ["It worked.", "One term."],
    }
)
CLAIM = {"score": 0.0, "similarity": 1.0, "evidence": "It worked, they say.", "field": "key_findings"}


def frame(table, *rows: dict) -> pl.DataFrame:
    return pl.DataFrame([dict.fromkeys(table.columns) | KEY | row for row in rows], schema=table.dtypes)


def runs(finish_reason: str | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        [KEY | {"finish_reason": finish_reason}], schema_overrides={"finish_reason": pl.String}
    )


def found(*, of=None, claims=(), citations=(), scores=(), verdicts=()) -> list[dict]:
    table = make_findings(
        runs() if of is None else of,
        frame(CLAIM_CHECKS, *claims),
        frame(CITATION_CHECKS, *citations),
        frame(RUN_SCORES, *scores),
        frame(VERDICTS, *verdicts),
        GOLD,
    )
    return table.rows(named=True)


def claim(claim_id: str, **values: object) -> dict:
    return CLAIM | {"claim_id": claim_id, "kind": claim_id.split(":", maxsplit=1)[0]} | values


CASES = {
    "forbidden_claim_made": {"claims": [claim("forbidden:0", made=True, status="contained")]},
    "forbidden_inconclusive": {"claims": [claim("forbidden:0", made=False, status="inconclusive")]},
    "limitation_missing": {"claims": [claim("limitation:0", made=False, status="judge")]},
    "fabricated_citation": {
        "citations": [{"citation_no": 0, "citation": "other.csv", "file_allowed": False, "unknown_ids": []}]
    },
    "fabricated_identifier": {
        "citations": [{"citation_no": 0, "citation": "SCH-999", "unknown_ids": ["sch-999"]}]
    },
    "evidence_gate": {
        "scores": [{"dimension": "evidence_linkage", "source": "judge", "flags": ["evidence_gate"]}]
    },
    "truncated_output": {"of": runs("length")},
}


@pytest.mark.parametrize("code", KINDS)
def test_each_finding_by_rule_is_made_where_it_belongs(code):
    [row] = found(**CASES[code])
    kind = KINDS[code]
    assert (row["code"], row["severity"], row["dimension"]) == (code, kind.severity, kind.dimension)
    assert row["title"].startswith(kind.title)
    assert row["judge_id"] is None


def test_a_finding_shows_its_evidence_and_what_it_is_about():
    [row] = found(**CASES["forbidden_claim_made"])
    assert row["evidence"] == "It worked, they say."
    assert row["description"] == "forbidden:0: It worked."


def test_a_limitation_that_nobody_judged_says_so():
    [row] = found(claims=[claim("limitation:0", made=False, status="none")])
    assert row["title"] == "A required limitation is missing, as far as matching can tell"


def test_what_is_right_is_no_finding():
    assert (
        found(
            of=runs("stop"),
            claims=[
                claim("forbidden:0", made=False, status="none"),
                claim("limitation:0", made=True, status="overlap"),
            ],
            citations=[
                {"citation_no": 0, "citation": "a.csv", "file_allowed": True, "unknown_ids": []},
                {"citation_no": 1, "citation": "our data", "unknown_ids": []},
            ],
            scores=[{"dimension": "evidence_linkage", "source": "judge", "flags": []}],
        )
        == []
    )


def test_an_identifier_named_twice_is_one_finding():
    citations = [{"citation_no": n, "citation": f"place {n}", "unknown_ids": ["sch-999"]} for n in range(2)]
    [row] = found(citations=citations)
    assert (row["evidence"], row["description"]) == ("place 0", "sch-999")


def test_verdicts_bring_findings_of_their_own():
    told = {"severity": "critical", "title": "Wrong school", "description": "It is SCH-002.", "code": "swap"}
    rows = found(
        verdicts=[
            {
                "judge_id": "j1",
                "dimension": "structure_usability",
                "unit_score": 0.0,
                "findings": [told, told],
            },
            {"judge_id": "j2", "claim_id": "fact:F1", "unit_score": 0.0, "findings": [told]},
            {"judge_id": "j3", "claim_id": "insight:0", "unit_score": 0.0},
        ]
    )
    assert [(row["dimension"], row["judge_id"]) for row in rows] == [
        ("grounding_accuracy", "j2"),
        ("structure_usability", "j1"),
        ("structure_usability", "j1"),
    ]


def test_findings_are_counted_for_groups_and_models():
    rows = [{"dimension": "consistency", "severity": "low", "title": "x"}]
    findings = frame(FINDINGS, *rows, *rows, {**rows[0], "task_id": "U"}, {**rows[0], "model_id": "n"})
    counts = add_model_counts(count_findings(findings.sort(FINDINGS.key)))
    assert counts.select("model_id", "task_id", "n_findings").rows() == [
        ("m", None, 3),
        ("m", "T", 2),
        ("m", "U", 1),
        ("n", None, 1),
        ("n", "T", 1),
    ]
