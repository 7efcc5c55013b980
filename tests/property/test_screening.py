"""Sentences that are left unread change nothing, and most of what says nothing is left unread."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from polars.testing import assert_frame_equal
from support.fuzzing import examples
from support.scoring import SCORED, run, score_records, task
from support.strategies import Records, records

import pipelines.batch
from grade.screening import screen


def read_everything(spans: pl.DataFrame, *_: object) -> pl.DataFrame:
    return spans


def score_unscreened(patch: pytest.MonkeyPatch, *given: list[dict]) -> dict[str, pl.DataFrame]:
    with patch.context() as context:
        context.setattr(pipelines.batch, "screen", read_everything)
        return score_records(*given)


@settings(
    max_examples=examples(12),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
@given(records())
def test_scores_are_those_of_reading_everything(monkeypatch, given_records: Records):
    parts = (given_records.tasks, given_records.runs, given_records.verdicts)
    screened, whole = score_records(*parts), score_unscreened(monkeypatch, *parts)
    for name in SCORED:
        assert_frame_equal(screened[name], whole[name], check_exact=True)


def fact(value: float, **fields: object) -> dict:
    return {"fact_id": "f", "claim": "The attendance figure.", "numeric_value": value} | fields


FACTS = [
    (fact(1234.5), "Attendance came to 1,234.50 then."),
    (fact(0.82), "Attendance was .82 then."),
    (fact(82.0, unit="percent"), "Attendance was 0.82 then."),
    (fact(0.82, unit="fraction"), "Attendance was 82% then."),
    (fact(-3.5), "Attendance changed by -3.5 then."),
    (fact(45), "Attendance of forty five then."),
    (fact(45), "Attendance of forty-five then."),
    (fact(3e6), "Attendance of 3 million then."),
    (fact(1500), "Attendance of 1.5e+3 then."),
    (fact(1500), "Attendance of 1.5E3 then."),
    (fact(14), "Attendance rose 14pp then."),
    (fact(100, tolerance="5%"), "Attendance of 104 then."),
    (fact(12), "_Attendance_ of **12** then."),
    (fact(12), "Attendance of 12 then."),
    (fact(None, string_value="TUT-005"), "It is _TUT‑005’s_ turn."),
    (fact(None, string_value="coaching gap"), "A (Coaching) GAP, they say: coaching gap."),
    (fact(None, string_value="Straße 1,200"), "The straße 1200 is it."),
    (fact(None, claim="Schools in October miss tutors."), "School and Oct and tutors' misses."),
]


@pytest.mark.parametrize(("gold", "sentence"), FACTS, ids=[sentence for _, sentence in FACTS])
def test_a_fact_is_found_however_the_raw_response_writes_it(gold, sentence):
    gold = {key: value for key, value in gold.items() if value is not None}
    answer = f"Nothing to see here. {sentence} More of the same words follow."
    scored = score_records([task(gold_facts=[gold])], [run(raw_response_text=answer)])
    assert scored["fact_checks"]["evidence"].to_list() == [sentence.replace("‑", "-").replace("’", "'")]


CLAIMS = [
    ("Tutors are not needed here.", "TUTORS are not needed, anywhere."),
    ("Absence is 1,200 days.", "An absence of 1200 days."),
    ("Absence is 5.0.", "Absence is 5."),
    ("Été n'est rien.", "_Été_ n'est rien, dit-on."),
    ("SCH-001's roof leaks.", "«SCH‑001» roof leaks."),
    ("To be or not to be.", "To be or not to be."),
    ("97.", "They said 97."),
]


@pytest.mark.parametrize(("claim", "sentence"), CLAIMS, ids=[sentence for _, sentence in CLAIMS])
def test_a_forbidden_claim_is_found_however_the_raw_response_writes_it(claim, sentence):
    answer = f"Nothing to see. {sentence} More of it follows."
    scored = score_records([task(forbidden_claims=[claim])], [run(raw_response_text=answer)])
    assert scored["claim_checks"]["made"].to_list() == [True]


def test_what_says_nothing_is_left_unread(monkeypatch):
    left = []

    def spy(spans: pl.DataFrame, *others: object) -> pl.DataFrame:
        kept = screen(spans, *others)
        left.append((spans.height, kept.height))
        return kept

    monkeypatch.setattr(pipelines.batch, "screen", spy)
    said = "Attendance was 82.4. Tutors cause absence. The weather was fine, and 17 came. Nobody knows why."
    gold = {"gold_facts": [fact(82.4)], "forbidden_claims": ["Tutors cause absence."]}
    score_records([task(**gold)], [run(raw_response_text=said, key_findings=["The weather was fine."])])
    assert left == [(5, 3)]
