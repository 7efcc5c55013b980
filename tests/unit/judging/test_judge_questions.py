from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from grade import schemas
from grade.db import load_sql, reads
from grade.dimensions import WEIGHTS
from grade.judging.answers import LONGEST_PART, write_answers
from grade.judging.items import list_items
from grade.judging.keys import DEFAULT_PARAMETERS, Judge, write_parameters
from grade.judging.questions import drop_answered, keep_open, list_questions, write_questions
from grade.judging.tables import JUDGING_TABLES, QUESTION_KEY
from grade.models import GoldFact, GoldInsight, RubricEntry, Task
from pipelines.judging.assets import load_templates

TEMPLATES = load_templates()
SQL = Path(__file__).parents[3] / "sql" / "judging"


def task(**changes: object) -> Task:
    told = {
        "task_id": "T1",
        "track": 1,
        "title": "Title",
        "user_prompt": "How many?",
        "task_type": "count",
        "allowed_inputs": ("a.csv",),
        "gold_facts": (
            GoldFact("F1", "There are 5.", numeric_value=5.0),
            GoldFact("F2", "North is largest."),
        ),
        "gold_insights": (GoldInsight("It grew."),),
        "required_limitations": ("It is a sample.",),
        "forbidden_claims": ("It was caused.",),
        "rubric": {key: RubricEntry(weight / 100, f"Guide {key}.") for key, weight in WEIGHTS.items()},
        "pack_id": "pack_a",
    }
    return Task(**(told | changes))


def answers(**changes: object) -> pl.DataFrame:
    row = {"model_id": "m", "task_id": "T1", "run_index": 0, "pack_id": "pack_a", "track": 1}
    row |= {
        "key_findings": ["Five."],
        "limitations": [],
        "structured_metrics": "{}",
        "evidence_citations": [],
    }
    row |= {"input_flags": [], "content_hash": "h"}
    blank = dict.fromkeys(schemas.RUNS.columns)
    return write_answers(pl.DataFrame([blank | row | changes], schema=schemas.RUNS.dtypes))


def keys(answer: pl.DataFrame | None = None, tasks: list[Task] | None = None, templates=TEMPLATES) -> dict:
    items = list_items(tasks or [task()], templates)
    found = list_questions(answers() if answer is None else answer, items)
    names = found.select(pl.coalesce("dimension", "claim_id")).to_series()
    return dict(zip(names, found["question_key"], strict=True))


def test_everything_but_facts_with_a_number_may_be_asked_about():
    items = list_items([task()], TEMPLATES)
    assert items.select("dimension", "claim_id", "kind").rows() == [
        (None, "fact:F2", "fact"),
        (None, "forbidden:0", "forbidden"),
        (None, "insight:0", "insight"),
        (None, "limitation:0", "limitation"),
        ("evidence_linkage", None, "dimension"),
        ("structure_usability", None, "dimension"),
    ]
    subjects = dict(zip(items["claim_id"].fill_null("d"), items["subject"], strict=True))
    assert subjects["forbidden:0"] == "It was caused."
    assert subjects["d"] == "Guide structure_usability."


def test_a_dimension_without_guidance_says_so():
    bare = task(rubric={key: RubricEntry(weight / 100, "  ") for key, weight in WEIGHTS.items()})
    items = list_items([bare], TEMPLATES).drop_nulls("dimension")
    assert items["subject"].str.contains("no guidance of its own").all()


def changed(before: dict, after: dict) -> set[str]:
    assert set(before) == set(after)
    return {name for name, key in before.items() if after[name] != key}


EVERYTHING = set(keys())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"gold_insights": (GoldInsight("It shrank."),)}, {"insight:0"}),
        ({"forbidden_claims": ("It was not caused.",)}, {"forbidden:0"}),
        ({"rubric": task().rubric | {"evidence_linkage": RubricEntry(0.15, "Other.")}}, {"evidence_linkage"}),
        ({"user_prompt": "How few?"}, EVERYTHING),
        ({"allowed_inputs": ("b.csv",)}, EVERYTHING),
        ({"title": "Another", "pack_id": "pack_b", "track": 2, "task_type": "x"}, set()),
    ],
)
def test_a_key_changes_with_what_the_judge_is_shown_and_with_nothing_else(change, expected):
    assert changed(keys(), keys(tasks=[task(**change)])) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"key_findings": ["Six."]}, EVERYTHING),
        ({"limitations": ["A caveat."]}, EVERYTHING),
        ({"structured_metrics": '{"a":1}'}, EVERYTHING),
        ({"raw_response_text": "Five"}, EVERYTHING),
        ({"model_id": "other", "run_index": 3, "latency_ms": 5.0, "content_hash": "z"}, set()),
    ],
)
def test_a_key_changes_with_the_answer_and_not_with_who_gave_it(change, expected):
    assert changed(keys(), keys(answers(**change))) == expected


def test_a_key_changes_with_the_prompt():
    from dataclasses import replace

    other = TEMPLATES | {"claim": replace(TEMPLATES["claim"], text=TEMPLATES["claim"].text + " ")}
    assert changed(keys(), keys(templates=other)) == {"fact:F2", "forbidden:0", "insight:0", "limitation:0"}


def test_texts_cannot_pass_for_each_other_across_their_borders():
    one = keys(answers(key_findings=["a", "b"]))
    assert changed(one, keys(answers(key_findings=["a\n2. b"]))) == set()  # shown alike, judged alike
    assert changed(one, keys(answers(key_findings=["a"], limitations=["b"]))) == EVERYTHING


def test_added_runs_and_tasks_change_no_key():
    more = pl.concat([answers(), answers(run_index=1, key_findings=["Other."])])
    found = list_questions(more, list_items([task(), task(task_id="T2")], TEMPLATES))
    own = found.filter(pl.col("run_index") == 0)
    assert set(own["question_key"]) == set(keys().values())


def test_a_judge_is_its_model_and_its_parameters():
    judge = Judge("j", write_parameters(DEFAULT_PARAMETERS))
    others = [
        Judge("k", judge.parameters),
        Judge("j", write_parameters(DEFAULT_PARAMETERS | {"temperature": 1})),
        Judge("j", write_parameters(DEFAULT_PARAMETERS | {"seed": 1})),
    ]
    made = {one.verdict_key("q", 0) for one in (judge, *others)} | {judge.verdict_key("q", 1)}
    made |= {judge.verdict_key("r", 0)}
    assert len(made) == 6
    assert judge.verdict_key("q", 0) == Judge("j", judge.parameters).verdict_key("q", 0)
    assert len({one.id(repeat) for one in (judge, *others) for repeat in (0, 1)}) == 8


def test_parameters_are_written_in_one_way():
    assert (
        write_parameters({"b": 1, "a": [1.5]})
        == write_parameters({"a": [1.5], "b": 1})
        == '{"a":[1.5],"b":1}'
    )


def test_only_what_no_conclusive_match_settled_is_open():
    found = list_questions(answers(), list_items([task()], TEMPLATES))
    key = {"model_id": "m", "task_id": "T1", "run_index": 0}
    blank = dict.fromkeys(schemas.CLAIM_CHECKS.columns)
    kinds = {"insight:0": "overlap", "limitation:0": "inconclusive", "forbidden:0": "none"}
    claims = [
        blank
        | key
        | {"claim_id": name, "kind": name.split(":")[0], "status": status, "made": False, "score": 0.0}
        for name, status in kinds.items()
    ]
    facts = [
        dict.fromkeys(schemas.FACT_CHECKS.columns) | key | {"fact_id": name, "matched": matched, "score": 0.0}
        for name, matched in (("F1", False), ("F2", False))
    ]
    claim_checks = pl.DataFrame(claims, schema=schemas.CLAIM_CHECKS.dtypes)
    fact_checks = pl.DataFrame(facts, schema=schemas.FACT_CHECKS.dtypes)
    names = pl.coalesce("dimension", "claim_id")
    still = keep_open(found, claim_checks, fact_checks)
    assert still.select(names).to_series().to_list() == [
        "fact:F2",
        "forbidden:0",
        "limitation:0",
        "evidence_linkage",
        "structure_usability",
    ]
    found_fact = fact_checks.with_columns(matched=True)
    assert "fact:F2" not in keep_open(found, claim_checks, found_fact).select(names).to_series()
    judged = claim_checks.with_columns(status=pl.lit("judge"))
    assert "insight:0" in keep_open(found, judged, fact_checks).select(names).to_series()

    verdicts = pl.DataFrame(
        [
            ("m", "T1", 0, "evidence_linkage", None),
            ("m", "T1", 0, None, "forbidden:0"),
            ("m", "T1", 1, None, "fact:F2"),
        ],
        schema={name: schemas.VERDICTS.dtypes[name] for name in QUESTION_KEY},
        orient="row",
    )
    left = drop_answered(still, verdicts).select(names).to_series().to_list()
    assert left == ["fact:F2", "limitation:0", "structure_usability"]


def test_an_answer_is_shown_whole_and_in_its_parts():
    cited = [{"citation_text": "rows", "source_file": "a.csv", "source_column": "n", "grounded": None}]
    shown = answers(limitations=["Small."], structured_metrics='{"n":5}', evidence_citations=cited)
    (text,) = shown["answer_text"]
    assert text == (
        'Findings:\n1. Five.\n\nLimitations:\n1. Small.\n\nMetrics, as JSON:\n{"n":5}\n\n'
        "Sources cited:\n1. rows [file: a.csv] [column: n]\n\nThe whole answer as it was written:\n(none)"
    )


def test_an_answer_of_any_length_fits_and_says_that_it_was_cut():
    shown = answers(raw_response_text="é" * (LONGEST_PART + 7))
    assert shown["answer_is_cut"].to_list() == [True]
    assert shown["answer_text"][0].endswith("é\n[cut here: 7 more characters]")
    assert answers(raw_response_text="é" * LONGEST_PART)["answer_is_cut"].to_list() == [False]


def test_questions_are_written_in_order_and_repeated_as_often_as_asked():
    items = list_items([task()], TEMPLATES)
    found = list_questions(answers(), items)
    written = write_questions(found, answers(), items, TEMPLATES.values(), n_repeats=2)
    assert written.height == 2 * found.height
    assert written["repeat"].to_list() == [0, 1] * found.height
    claim = written.filter(pl.col("claim_id") == "insight:0").row(0, named=True)
    assert "\nIt grew.\n" in claim["prompt"]
    assert json.dumps(claim["prompt"]).count("{{") == 0
    size = len((claim["prompt"] + claim["system_prompt"]).encode())
    assert claim["estimated_tokens"] == -(-size // 4)


@pytest.mark.parametrize("path", sorted(SQL.glob("*.sql")), ids=lambda path: path.stem)
def test_the_queries_keep_to_the_form_of_the_house(path):
    name = f"judging/{path.stem}"
    text = load_sql(name)
    code = re.sub(r"--.*", "", text)
    assert re.match(rf"-- {path.stem}: one row per .+\n-- Reads: ", text)
    assert ";" not in code
    assert re.search(r"\nORDER BY [^()]+\s*$", code)
    expressions = set(re.findall(r"(?:WITH|,)\s+(\w+) AS (?:MATERIALIZED )?\(", code))
    assert set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", code)) - expressions == set(reads(name))
    assert set(reads(name)) <= {table.name for table in JUDGING_TABLES} | {"answers"}
