"""Judges are averaged, persons go before models on claims, and the order of rows says nothing."""

from __future__ import annotations

import random

import polars as pl

from grade.schemas import VERDICTS
from grade.verdict_scores import claim_verdicts, score_verdicts


def frame(*rows):
    blank = dict.fromkeys(VERDICTS.columns) | {"model_id": "m", "task_id": "T", "run_index": 0}
    return pl.DataFrame([blank | row for row in rows], schema=VERDICTS.dtypes)


def on_dimension(judge, unit, dimension="consistency", **changes):
    return {"judge_id": judge, "unit_score": unit, "dimension": dimension} | changes


def on_claim(judge, unit, claim_id="insight:0", **changes):
    return {"judge_id": judge, "unit_score": unit, "claim_id": claim_id} | changes


def test_a_dimension_is_the_mean_of_its_judges():
    verdicts = frame(
        on_dimension("a", 1.0, confidence=0.9),
        on_dimension("b", 0.5),
        on_dimension("human:c", 0.0, confidence=0.4),
        on_dimension("a", 0.8, "insight_quality"),
        on_dimension("a", 0.8, run_index=1),
        on_claim("a", 1.0),
    )
    assert score_verdicts(verdicts).rows() == [
        ("m", "T", 0, "consistency", 0.5, 3, 0.4),
        ("m", "T", 0, "insight_quality", 0.8, 1, None),
        ("m", "T", 1, "consistency", 0.8, 1, None),
    ]


def test_a_claim_is_made_above_one_half():
    def is_made(*units):
        verdicts = frame(*(on_claim(f"j{n}", unit) for n, unit in enumerate(units)))
        return claim_verdicts(verdicts)["made"].item()

    assert is_made(1.0)
    assert not is_made(0.5)
    assert not is_made(1.0, 0.0)
    assert is_made(1.0, 1.0, 0.0)
    assert not is_made(0.4, 0.6)
    assert not is_made(0.1, 0.7, 0.7)
    assert is_made(0.8)


def test_where_a_person_judged_a_claim_only_persons_count():
    verdicts = frame(
        on_claim("a", 1.0),
        on_claim("b", 1.0),
        on_claim("human:x", 0.0),
        on_claim("a", 1.0, "insight:1"),
        on_claim("human:x", 1.0, "insight:2"),
        on_claim("human:y", 0.0, "insight:2"),
        on_claim("human:z", 1.0, "insight:2"),
    )
    assert claim_verdicts(verdicts).drop("model_id", "task_id", "run_index").rows() == [
        ("insight:0", False, True, 1),
        ("insight:1", True, False, 1),
        ("insight:2", True, True, 3),
    ]


def test_the_order_of_rows_changes_no_bit():
    draw = random.Random(3)
    rows = [on_dimension(f"j{n}", draw.random()) for n in range(50)]
    expected = score_verdicts(frame(*rows))
    for _ in range(20):
        draw.shuffle(rows)
        assert score_verdicts(frame(*rows)).equals(expected)


def test_no_verdicts_give_no_scores():
    assert score_verdicts(VERDICTS.empty()).is_empty()
    assert claim_verdicts(VERDICTS.empty()).is_empty()
