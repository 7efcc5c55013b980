from __future__ import annotations

from xml.etree import ElementTree as ET

import polars as pl
import pytest

from grade.report.gate import gate_cases, render_annotations, render_junit
from grade.schemas import DECISIONS

ODD = 'a <b> & "c"\x00: 100%, x\ny'


def decisions(*rows: tuple[str, str | None, str]) -> pl.DataFrame:
    blank = dict.fromkeys(DECISIONS.columns) | {
        "rule": "mixed",
        "rationale": "Because.",
        "needs_human_review": False,
    }
    records = [blank | {"model_id": model, "task_id": task, "status": status} for model, task, status in rows]
    return pl.DataFrame(records, schema=DECISIONS.dtypes)


TABLE = decisions(
    ("good", None, "pass"),
    ("good", "T1", "fail"),
    ("poor", None, "human_review"),
    ("poor", "T1", "human_review"),
    ("poor", "T2", "fail"),
    ("poor", "T3", "conditional"),
)


@pytest.mark.parametrize(
    ("min_status", "met"),
    [
        ("fail", [True, True]),
        ("human_review", [True, True]),
        ("conditional", [True, False]),
        ("pass", [True, False]),
    ],
)
def test_a_model_passes_when_its_own_decision_is_good_enough(min_status, met):
    assert [case.is_met for case in gate_cases(TABLE, min_status=min_status)] == met


def test_the_tasks_behind_a_failure_are_told_worst_first():
    poor = gate_cases(TABLE, min_status="conditional")[1]
    assert [line.split(":")[0] for line in poor.worse_tasks] == ["T2", "T1"]
    assert poor.n_tasks == 3


def test_junit_counts_and_escapes():
    cases = gate_cases(
        decisions((ODD, None, "fail"), (ODD, "T\x01", "fail"), ("ok", None, "pass")), min_status="pass"
    )
    root = ET.fromstring(render_junit(cases, min_status="pass"))  # noqa: S314 - made here
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    names = {case.get("name").replace("\n", " ") for case in root.iter("testcase")}
    assert names == {'a <b> & "c"\ufffd: 100%, x y', "ok"}
    [failure] = root.iter("failure")
    assert failure.get("type") == "mixed"
    assert "T\ufffd: fail" in failure.text


def test_an_annotation_is_one_line_whatever_a_name_holds():
    bad, good = render_annotations(
        gate_cases(decisions((ODD, None, "fail"), ("ok", None, "pass")), min_status="pass"), min_status="pass"
    )
    assert bad.startswith("::error title=grade gate%3A a <b>")
    assert "\n" not in bad
    assert "100%25%2C x%0Ay::fail" in bad
    assert good.startswith("::notice ")
