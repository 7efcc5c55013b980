from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from grade import schemas
from grade.errors import InputError
from grade.judging.families import Families, parse_families
from grade.judging.intervals import calibration_error, calibration_interval, design_effect, wilson
from grade.judging.records import QUOTE_NOT_FOUND, SAME_FAMILY
from grade.judging.replay import REPLAYED_COLUMNS, replay
from grade.judging.standing import tell_standing
from grade.judging.tables import JUDGEMENTS
from grade.judging.usage import describe_judging, summarise_judging
from grade.judging.validity import LABEL_COLUMNS, compare_labels
from pipelines.judging.assets import load_families


@pytest.mark.parametrize(("hits", "size"), [(0, 5), (5, 5), (3, 7), (90, 100), (1, 1)])
def test_wilson_agrees_with_scipy(hits, size):
    low, high = wilson(np.array([hits / size]), np.array([float(size)]))
    expected = binomtest(hits, size).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_checks_that_come_in_clusters_tell_less():
    alike = design_effect(np.array([3.0, 0, 3, 0]), np.full(4, 3.0))
    mixed = design_effect(np.array([1.0, 2, 1, 2]), np.full(4, 3.0))
    assert alike == pytest.approx(4.0)
    assert mixed == 1.0
    assert design_effect(np.array([3.0, 3]), np.array([3.0, 3])) == 1.0
    assert design_effect(np.array([1.0]), np.array([3.0])) == 1.0
    assert design_effect(np.array([0.0, 0]), np.array([0.0, 0])) == 1.0


def test_the_calibration_error_is_the_mean_gap_by_size():
    confidence = np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55])
    correct = np.array([1.0, 1, 1, 0, 0, 0])
    assert calibration_error(confidence, correct) == pytest.approx((4 * 0.20 + 2 * 0.55) / 6)
    assert np.isnan(calibration_error(np.array([]), np.array([])))


def test_the_calibration_interval_holds_the_error_and_does_not_change():
    draw = np.random.default_rng(1)
    confidence = draw.uniform(0.5, 1, 300)
    correct = (draw.uniform(size=300) < 0.7).astype(float)
    clusters = np.repeat(np.arange(60), 5)
    low, high = calibration_interval(confidence, correct, clusters)
    assert low < calibration_error(confidence, correct) < high
    assert (low, high) == calibration_interval(confidence, correct, clusters)
    assert np.isnan(calibration_interval(confidence[:5], correct[:5], clusters[:5])).all()


def labels_and_checks() -> tuple[pl.DataFrame, ...]:
    """Four runs with an insight each: the judge says yes yes no no, the labels say yes no yes no."""
    key = [("m", "T", n) for n in range(4)]
    labels = pl.DataFrame(
        [(*run, "insight:0", label) for run, label in zip(key, (True, False, True, False), strict=True)],
        schema=LABEL_COLUMNS,
        orient="row",
    )
    blank = dict.fromkeys(schemas.CLAIM_CHECKS.columns)
    claims = pl.DataFrame(
        [
            blank
            | dict(zip(schemas.RUN_KEY, run, strict=True))
            | {"claim_id": "insight:0", "kind": "insight", "made": False, "score": 0.0, "status": "none"}
            for run in key
        ],
        schema=schemas.CLAIM_CHECKS.dtypes,
    )
    verdicts = pl.DataFrame(
        [
            (*run, None, "insight:0", "j", unit, 0.9)
            for run, unit in zip(key, (1.0, 0.8, 0.5, 0.0), strict=True)
        ],
        schema={
            name: schemas.VERDICTS.dtypes[name]
            for name in (*schemas.RUN_KEY, "dimension", "claim_id", "judge_id", "unit_score", "confidence")
        },
        orient="row",
    )
    return labels, schemas.FACT_CHECKS.empty(), claims, verdicts


def test_a_judge_is_measured_against_labels_by_kind_and_in_all():
    told = compare_labels(*labels_and_checks())
    rows = {(row["judge_id"], row["kind"]): row for row in told.validity.to_dicts()}
    assert set(rows) == {(None, "all"), (None, "insight"), ("j", "all"), ("j", "insight")}
    judge = rows["j", "insight"]
    counts = [
        judge[f"n_{name}"] for name in ("true_positive", "false_positive", "false_negative", "true_negative")
    ]
    assert counts == [1, 1, 1, 1]
    assert [judge[name] for name in ("precision", "recall", "accuracy", "f1")] == [0.5] * 4
    assert judge["calibration_error"] == pytest.approx(0.4)
    for name in ("precision", "recall", "accuracy", "f1"):
        assert 0 <= judge[f"{name}_low"] < judge[name] < judge[f"{name}_high"] <= 1
    matching = rows[None, "insight"]
    assert (matching["precision"], matching["recall"], matching["f1"], matching["n_confident"]) == (
        None,
        0.0,
        0.0,
        0,
    )
    (bin_,) = [row for row in told.reliability.to_dicts() if row["kind"] == "insight"]
    assert (bin_["bin_low"], bin_["bin_high"], bin_["n_checks"]) == (0.9, 1.0, 4)
    assert (bin_["mean_confidence"], bin_["accuracy"]) == (pytest.approx(0.9), 0.5)


def test_labels_on_other_checks_are_counted_and_the_order_of_rows_is_no_matter():
    labels, facts, claims, verdicts = labels_and_checks()
    strange = labels.with_columns(model_id=pl.lit("other"))
    told = compare_labels(pl.concat([labels, strange]), facts, claims, verdicts)
    assert told.n_unknown == 4
    again = compare_labels(labels.reverse(), facts, claims.reverse(), verdicts.reverse())
    assert again.validity.equals(told.validity)
    assert again.reliability.equals(told.reliability)


def judgement(key: str, **changes: object) -> dict:
    row = dict.fromkeys(JUDGEMENTS.columns)
    row |= {"verdict_key": f"v-{key}", "question_key": key, "repeat": 0, "kind": "insight", "model_id": "m"}
    row |= {"task_id": "T", "run_index": 0, "claim_id": "insight:0", "template": "claim.v1", "judge_id": "j"}
    row |= {"judge_model": "j", "parameters": "{}", "reply_state": "read", "score": "pass", "confidence": 0.9}
    row |= {"reasoning": "So.", "quotes": [], "missing_quotes": [], "flags": [], "raw_replies": ["{}"]}
    row |= {
        "n_calls": 1,
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "latency_ms": 100.0,
        "asked_utc": "2026-01-01",
    }
    return row | changes


def frame(*rows: dict) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=JUDGEMENTS.dtypes)


def questions(*keys: tuple[str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [("m", "T", run, None, "insight:0", "insight", "claim.v1", key) for key, run in keys],
        schema={
            **{name: schemas.VERDICTS.dtypes[name] for name in (*schemas.RUN_KEY, "dimension", "claim_id")},
            "kind": pl.String,
            "template": pl.String,
            "question_key": pl.String,
        },
        orient="row",
    )


def test_a_judgement_answers_every_run_with_that_content_and_no_other():
    stored = frame(judgement("a"), judgement("b", reply_state="unscored", score=None), judgement("old"))
    found = replay(questions(("a", 0), ("a", 1), ("b", 2), ("c", 3)), stored)
    assert found.verdicts.columns == list(REPLAYED_COLUMNS)
    assert found.verdicts["run_index"].to_list() == [0, 1]
    assert found.unscored["run_index"].to_list() == [2]
    assert found.used["run_index"].to_list() == [0, 1, 2]


def test_a_verdict_carries_its_quotes_and_what_to_know_about_it():
    flagged = judgement("a", quotes=["x", "y"], missing_quotes=["y"], flags=[QUOTE_NOT_FOUND, SAME_FAMILY])
    (row,) = replay(questions(("a", 0)), frame(flagged)).verdicts.to_dicts()
    assert row["reasoning"] == "So. Evidence: “x” “y”"
    assert [(found["severity"], found["code"], found["description"]) for found in row["findings"]] == [
        ("info", "judge_same_family", None),
        ("low", "judge_quote_not_found", "y"),
    ]
    (plain,) = replay(questions(("a", 0)), frame(judgement("a", reasoning=""))).verdicts.to_dicts()
    assert (plain["reasoning"], plain["findings"]) == (None, None)


def test_a_store_stands_to_a_result_by_content_and_by_key():
    all_questions = questions(("a", 0), ("b", 1), ("c", 2))
    stored = frame(
        judgement("a"),
        judgement("b", judge_id="k", reply_state="unscored", score=None),
        judgement("was-c", run_index=2),
        judgement("gone", run_index=9),
        judgement("gone-2", judge_id="k", task_id="T9"),
    )
    told = tell_standing(all_questions, all_questions.head(2), stored, schemas.VERDICTS.empty())
    columns = ("judge_id", "n_answered", "n_unscored", "n_missing", "n_stale", "n_orphaned")
    assert told.select(columns).rows() == [(None, 1, 1, 1, 1, 2), ("j", 1, 0, 1, 1, 1), ("k", 0, 1, 2, 0, 1)]


def test_what_a_verdict_of_the_result_answers_is_missing_to_a_judge_and_not_to_all():
    needed = questions(("a", 0), ("b", 1), ("c", 2))
    blank = dict.fromkeys(schemas.VERDICTS.columns)
    given = blank | {"model_id": "m", "task_id": "T", "run_index": 1, "claim_id": "insight:0"}
    verdicts = pl.DataFrame([given], schema=schemas.VERDICTS.dtypes)
    told = tell_standing(needed, needed, frame(judgement("a")), verdicts)
    assert told.select("judge_id", "n_missing").rows() == [(None, 1), ("j", 2)]


def test_an_empty_store_leaves_everything_missing():
    told = tell_standing(
        questions(("a", 0)), questions(("a", 0)), JUDGEMENTS.empty(), schemas.VERDICTS.empty()
    )
    assert told.rows() == [(None, 0, 0, 1, 0, 0)]


def test_usage_counts_a_judgement_once_for_its_judge_and_once_for_each_model():
    rows = frame(
        judgement("a", cost_usd=0.5),
        judgement("a", cost_usd=0.5, run_index=1),
        judgement("a", cost_usd=0.5, model_id="n"),
        judgement("b", reply_state="repaired", n_calls=2, latency_ms=300.0),
    )
    told = summarise_judging(rows)
    everyone, m, n = told.to_dicts()
    assert (everyone["model_id"], everyone["n_questions"], everyone["n_calls"]) == (None, 2, 3)
    assert (everyone["n_costs"], everyone["cost_usd"], everyone["mean_latency_ms"]) == (1, 0.5, 200.0)
    assert (m["model_id"], m["n_questions"], m["n_repaired"]) == ("m", 2, 1)
    assert (n["model_id"], n["n_questions"], n["prompt_tokens"]) == ("n", 1, 10)
    assert describe_judging(told.head(1).to_dicts()) == [
        "j: 2 questions, 3 calls, 20 tokens in and 4 out, 0.5000 USD for 1 of them, 0.2 s each"
    ]


SHIPPED = load_families()


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-4o-2024-08-06", {"openai"}),
        ("azure/gpt4-turbo", {"openai"}),
        ("o3-mini", {"openai"}),
        ("anthropic/claude-3.5-sonnet", {"claude"}),
        ("openrouter/google/gemini-2.0-flash", {"gemini"}),
        ("google/gemma-2-9b-it", {"gemini"}),
        ("meta-llama/Llama-3.1-8B-Instruct", {"llama"}),
        ("llama3.1:8b", {"llama"}),
        ("deepseek-r1-distill-llama-70b", {"deepseek", "llama"}),
        ("Qwen/Qwen2.5-7B", {"qwen"}),
        ("groq/mixtral-8x7b", {"mistral"}),
        ("openai/whistle-1", {"whistle"}),
        ("acme/o30-pro", {"o"}),
        ("sim/careful-1", {"careful"}),
    ],
)
def test_a_family_is_told_by_the_model_s_own_name(model, family):
    assert SHIPPED.of(model) == family


def test_models_are_related_in_both_directions_and_each_to_itself():
    names = ["gpt-4o", "o1", "claude-3", "sim/judge-1", "sim/judge-2", "x"]
    for one, other in itertools.product(names, repeat=2):
        assert SHIPPED.are_related(one, other) == SHIPPED.are_related(other, one)
        assert SHIPPED.are_related(one, one)
    assert SHIPPED.are_related("sim/judge-1", "other/judge-9")
    assert not SHIPPED.are_related("gpt-4o", "claude-3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "families = 1",
        "[families]\na = ['x']\n[other]\n",
        "[families]\na = [1]",
        "[families",
        "[families]\na = ['']",
    ],
)
def test_a_table_of_families_that_is_none_is_told(text):
    with pytest.raises(InputError, match="families"):
        parse_families(text)


def test_an_alias_stands_for_its_real_name():
    families = Families({"llama": ("llama",)}, {"house": "meta/Llama-3"})
    assert families.of("local/House") == {"llama"}
    assert families.real_name("house") == "llama-3"
