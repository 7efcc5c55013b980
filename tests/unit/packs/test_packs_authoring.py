from __future__ import annotations

import pytest

from grade.errors import InputError
from pipelines.packs.authoring import GroundTruth, find_ground_truth, read_toml, write_task
from pipelines.packs.measures import describe_measures
from pipelines.packs.sandbox import Sandbox, SqlError
from pipelines.packs.template import fill

TRACKS = {
    "1": {"limitations": ["One quarter."], "weights": {"grounding_accuracy": 1.0}, "guidance": {}},
}
TRUTH = GroundTruth(
    sql={"rate": "SELECT 0.25", "tutor": "SELECT 'TUT-007'"}, values={"rate": 0.25, "tutor": "TUT-007"}
)


def draft(**changes):
    return {
        "task_id": "X-1",
        "track": 1,
        "title": "A title",
        "user_prompt": "\nA question?",
        "task_type": "computation",
        "allowed_inputs": ["a.csv"],
        "gold_facts": [
            {"fact_id": "F1", "claim": "The rate is {rate:.0%}.", "value": "rate", "unit": "fraction",
             "tolerance": 0.005, "sources": {"a.csv": ["x"]}},
        ],
        "gold_insights": ["{tutor} leads."],
        "required_limitations": ["Small numbers."],
        "forbidden_claims": ["{tutor} is bad."],
        "reference_answer_outline": "Divide.",
    } | changes  # fmt: skip


def test_a_draft_becomes_a_task_with_values_and_shared_parts():
    task = write_task(draft(), TRACKS, TRUTH)
    assert task["user_prompt"] == "A question?"
    assert task["gold_facts"] == [
        {
            "fact_id": "F1",
            "claim": "The rate is 25%.",
            "source_files": ["a.csv"],
            "source_columns": {"a.csv": ["x"]},
            "numeric_value": 0.25,
            "tolerance": 0.005,
            "unit": "fraction",
            "ground_truth": "rate",
            "sql": "SELECT 0.25",
        }
    ]
    assert task["gold_insights"] == ["TUT-007 leads."]
    assert task["required_limitations"] == ["One quarter.", "Small numbers."]
    assert task["forbidden_claims"] == ["TUT-007 is bad."]
    assert task["rubric"] == {"grounding_accuracy": {"weight": 1.0}}


def test_a_value_that_is_text_becomes_a_string_value():
    fact = {"fact_id": "F1", "claim": "{tutor} leads.", "value": "tutor", "sources": {"a.csv": ["x"]}}
    written = write_task(draft(gold_facts=[fact]), TRACKS, TRUTH)["gold_facts"][0]
    assert (written["string_value"], written["numeric_value"]) == ("TUT-007", None)


def test_a_task_may_change_single_weights_and_guidance():
    task = write_task(
        draft(weights={"grounding_accuracy": 0.9}, guidance={"grounding_accuracy": "G."}), TRACKS, TRUTH
    )
    assert task["rubric"] == {"grounding_accuracy": {"weight": 0.9, "guidance": "G."}}


@pytest.mark.parametrize(
    ("changes", "where", "hint"),
    [
        ({"gold_insights": ["{rat} grows."]}, "X-1: gold_insights", "did you mean rate?"),
        ({"forbidden_claims": ["{other}"]}, "X-1: forbidden_claims", "define it there"),
        ({"gold_insights": ["{rate:.1q}"]}, "X-1: gold_insights", ""),
        ({"gold_insights": ["{rate"]}, "X-1: gold_insights", ""),
        ({"track": 9}, "X-1: track", "one of 1"),
    ],
)
def test_a_fault_in_a_draft_names_task_field_and_fix(changes, where, hint):
    with pytest.raises(InputError) as fault:
        write_task(draft(**changes), TRACKS, TRUTH)
    assert fault.value.where == where
    assert hint in str(fault.value)


def test_a_missing_field_is_named():
    half = draft()
    del half["title"]
    with pytest.raises(InputError, match="title"):
        write_task(half, TRACKS, TRUTH)


def test_ground_truth_keeps_six_decimals_and_names_what_fails():
    with Sandbox({}) as sandbox:
        truth = find_ground_truth({"third": "SELECT 1 / 3", "n": "SELECT 2"}, sandbox)
        assert truth.values == {"third": 0.333333, "n": 2}
        with pytest.raises(SqlError, match="bad"):
            find_ground_truth({"bad": "SELECT nothing"}, sandbox)


def test_a_broken_content_file_is_named(tmp_path):
    (tmp_path / "x.toml").write_text("a = ")
    with pytest.raises(InputError, match=r"x\.toml"):
        read_toml(tmp_path / "x.toml")


def test_fill_leaves_texts_without_names_alone():
    assert fill("100% of {{all}}", {}, where="") == "100% of {all}"


def test_measures_are_described_by_the_comment_above_them():
    first = "-- a: first\n-- and more.\nCREATE VIEW a AS SELECT 1 AS x;\n\n-- lone comment\n\n"
    sql = first + "-- b: second\nCREATE VIEW b AS SELECT 2 AS y;"
    assert describe_measures(sql) == {"a": "first and more.", "b": "second"}
