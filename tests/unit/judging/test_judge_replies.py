from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grade.judging.quotes import missing_quotes
from grade.judging.replies import CLAIM_FIELDS, DIMENSION_FIELDS, read_reply, reply_schema

GOOD = {"score": "pass", "int_score": 4, "confidence": 0.8, "quotes": ["a b"], "reasoning": "Fine."}
CLAIM = {"stated": "yes", "confidence": 1, "quotes": [], "reasoning": "Said."}


def reply(**changes: object) -> str:
    return json.dumps(GOOD | changes)


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        f"```json\n{reply()}\n```",
        f"```\n{reply()}```",
        f"Here is my verdict:\n\n{reply()}\n\nI hope {{this}} helps.",
        f"{reply()}\n{reply()}",
        f'<think>perhaps {{"score": "fail", "int_score": 1}}?</think>{reply()}',
        reply(score=" PASS "),
        reply(int_score=4.0),
        f'{{"note": 1}} {reply()}',
        json.dumps(GOOD | {"extra": [1, {"score": "fail"}]}),
    ],
)
def test_prose_and_fences_around_one_answer_do_no_harm(text):
    reading = read_reply(text, is_claim=False)
    assert reading.problem is None
    assert (reading.score, reading.int_score, reading.confidence) == ("pass", 4, 0.8)
    assert reading.quotes == ("a b",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "empty_reply"),
        (" \n", "empty_reply"),
        ("4.2/10", "no_json"),
        ("nan", "no_json"),
        ("pass", "no_json"),
        ("[4]", "no_json"),
        ("{" * 5_000, "no_json"),
        ('{"score": "pass", "int_score": 4, "conf', "no_json"),
        (f"{reply()} or rather {reply(int_score=5)}", "several_answers"),
        ('{"score": "pass", "score": "fail"}', "several_answers"),
        ('{"verdict": {"score": "pass"}}', "missing_field"),
        ("{}", "missing_field"),
        (reply(confidence=None), "missing_field"),
        (reply(int_score=4.2), "bad_value"),
        (reply(int_score="4.2/10"), "bad_value"),
        (reply(int_score="4"), "bad_value"),
        (reply(int_score=0), "bad_value"),
        (reply(int_score=6), "bad_value"),
        (reply(int_score=True), "bad_value"),
        (reply(int_score=float("nan")), "bad_value"),
        (reply(score="4 - good"), "bad_value"),
        (reply(score="n/a"), "bad_value"),
        (reply(confidence=87), "bad_value"),
        (reply(confidence=-0.1), "bad_value"),
        (reply(confidence=float("nan")), "bad_value"),
        (reply(confidence=float("inf")), "bad_value"),
        (reply(confidence=True), "bad_value"),
        (reply(quotes="a b"), "bad_value"),
        (reply(quotes=[1]), "bad_value"),
        (reply(reasoning=["x"]), "bad_value"),
        (reply(int_score=2), "contradictory"),
        (reply(score="partial"), "contradictory"),
    ],
)
def test_what_is_no_verdict_gets_a_reason_and_no_score(text, problem):
    reading = read_reply(text, is_claim=False)
    assert reading.problem == problem
    assert reading.detail
    assert (reading.score, reading.int_score, reading.confidence) == (None, None, None)


def test_a_cut_off_reply_is_told_apart_and_a_whole_one_is_read_all_the_same():
    assert read_reply('{"score": "pa', is_claim=False, is_cut=True).problem == "cut_off"
    assert read_reply(reply(), is_claim=False, is_cut=True).problem is None


@pytest.mark.parametrize(
    ("stated", "score"), [("yes", "pass"), ("No", "fail"), (True, "pass"), (False, "fail")]
)
def test_a_claim_is_stated_or_not(stated, score):
    reading = read_reply(json.dumps(CLAIM | {"stated": stated}), is_claim=True)
    assert (reading.score, reading.int_score, reading.confidence) == (score, None, 1.0)


@pytest.mark.parametrize("stated", ["maybe", "pass", 1, 0.5, [], {}])
def test_a_claim_is_nothing_in_between(stated):
    assert read_reply(json.dumps(CLAIM | {"stated": stated}), is_claim=True).problem == "bad_value"


def test_a_reply_to_the_other_kind_of_question_is_none():
    assert read_reply(json.dumps(CLAIM), is_claim=False).problem == "missing_field"
    assert read_reply(reply(), is_claim=True).problem == "missing_field"


@given(st.text(max_size=300) | st.text(alphabet='{}[]":,0189.eEnaifstrul \\', max_size=300), st.booleans())
def test_any_text_gets_a_verdict_or_a_reason(text, is_claim):
    reading = read_reply(text, is_claim=is_claim)
    assert (reading.score is None) == (reading.problem is not None)


@pytest.mark.parametrize(("is_claim", "fields"), [(True, CLAIM_FIELDS), (False, DIMENSION_FIELDS)])
def test_the_schema_asks_for_what_is_read(is_claim, fields):
    jsonschema = pytest.importorskip("jsonschema")
    schema = reply_schema(is_claim=is_claim)
    assert tuple(schema["properties"]) == fields
    jsonschema.validate(CLAIM if is_claim else GOOD, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, schema)


ANSWER = 'Rate was **11.6%** in May.\n- SCH-001: 80.9 %\n{"rate": 0.8}\nThe “gap” isn’t closing.'


@pytest.mark.parametrize(
    "quote",
    [
        "rate was 11.6%",
        "RATE WAS 11.6% in May.",
        "SCH-001: 80.9%",
        '{"rate":0.8}',
        'the "gap"',
        "Rate ... May",
        "Rate … gap",
        "[...] SCH-001",
    ],
)
def test_a_quote_stands_in_the_answer_whatever_its_marks(quote):
    assert missing_quotes([quote], ANSWER) == []


@pytest.mark.parametrize(
    "quote", ["116%", "11.60%", "rate is 11.6%", "closing ... May", "ate was", "…", "-", "SCH-002"]
)
def test_a_quote_that_the_answer_does_not_say_is_missing(quote):
    assert missing_quotes(["rate was", quote], ANSWER) == [quote]
