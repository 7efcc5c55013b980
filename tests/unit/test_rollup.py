from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grade import schemas
from grade.db import Database
from grade.dimensions import DIMENSIONS, EVIDENCE, GROUNDING, INSIGHT, STRUCTURE, WEIGHTS
from grade.errors import ContractError
from grade.rollup import rank_models, roll_up, roll_up_tasks

UNIT = st.floats(0, 1, allow_nan=False)


def task_frame(*task_ids: str, weights: dict[str, float] | None = None) -> pl.DataFrame:
    chosen = weights or {key: value / 100 for key, value in WEIGHTS.items()}
    rows = [
        dict.fromkeys(schemas.TASKS.columns)
        | {
            "task_id": task_id,
            "pack_id": "pack_a",
            "track": 1,
            "title": "t",
            "user_prompt": "u",
            "allowed_inputs": [],
        }
        | {f"weight_{key}": value for key, value in chosen.items()}
        for task_id in task_ids
    ]
    return pl.DataFrame(rows, schema=schemas.TASKS.dtypes)


def score_rows(scores: list[dict[str, float | None]], task_id: str = "T", model: str = "m") -> pl.DataFrame:
    rows = [
        {"model_id": model, "task_id": task_id, "run_index": index, "dimension": key}
        | {"score": run.get(key), "source": "rule", "flags": []}
        for index, run in enumerate(scores)
        for key in DIMENSIONS
    ]
    return pl.DataFrame(rows, schema=schemas.RUN_SCORES.dtypes)


def group_rows(n_runs: int, consistency: float | None, task_id: str = "T", model: str = "m") -> pl.DataFrame:
    row = {"model_id": model, "task_id": task_id, "n_runs": n_runs, "consistency": consistency}
    return pl.DataFrame([dict.fromkeys(schemas.CONSISTENCY.columns) | row], schema=schemas.CONSISTENCY.dtypes)


def one_group(scores: list[dict[str, float | None]], *, consistency: float | None = None, tasks=None) -> dict:
    frame = roll_up_tasks(
        score_rows(scores),
        group_rows(len(scores), consistency),
        schemas.CLAIM_CHECKS.empty(),
        task_frame("T") if tasks is None else tasks,
    )
    return frame.row(0, named=True)


def test_a_dimension_is_the_mean_over_the_scored_runs_and_says_how_many():
    row = one_group([{GROUNDING: 1.0}, {GROUNDING: 0.5}, {}])
    assert (row[GROUNDING], row["n_scored_grounding_accuracy"], row["n_runs"]) == (0.75, 2, 3)
    assert (row[INSIGHT], row["n_scored_insight_quality"]) == (None, 0)


def test_the_composite_leaves_out_what_was_not_measured():
    row = one_group([{GROUNDING: 1.0, STRUCTURE: 0.0}])
    assert row["composite"] == 35 / 40
    assert row["weight_scored"] == 0.4


def test_one_measured_dimension_is_the_composite_to_the_last_bit():
    row = one_group([{GROUNDING: 1.0}])
    assert (row["composite"], row["weight_scored"]) == (1.0, 0.35)


def test_nothing_measured_is_null_and_not_zero():
    row = one_group([{}, {}])
    assert (row["composite"], row["rubric_composite"], row["weight_scored"]) == (None, None, 0.0)


def test_consistency_comes_from_the_group():
    row = one_group([{GROUNDING: 1.0}, {GROUNDING: 1.0}], consistency=0.25)
    assert (row["consistency"], row["n_scored_consistency"]) == (0.25, 2)
    assert row["composite"] == pytest.approx((35 + 2.5) / 45, abs=1e-15)


def test_the_rubric_composite_uses_the_task_s_own_weights():
    weights = dict.fromkeys(DIMENSIONS, 0.0) | {GROUNDING: 0.25, EVIDENCE: 0.75}
    row = one_group([{GROUNDING: 1.0, EVIDENCE: 0.0}], tasks=task_frame("T", weights=weights))
    assert row["rubric_composite"] == 0.25
    assert row["composite"] == 0.7


def test_a_rubric_that_weighs_only_unmeasured_dimensions_gives_null():
    weights = dict.fromkeys(DIMENSIONS, 0.0) | {EVIDENCE: 1.0}
    assert one_group([{GROUNDING: 1.0}], tasks=task_frame("T", weights=weights))["rubric_composite"] is None


def test_flags_are_the_sorted_union_with_what_the_group_adds():
    scores = score_rows([{GROUNDING: 1.0}]).with_columns(
        flags=pl.when(pl.col("dimension") == GROUNDING)
        .then(pl.lit(["zebra", "apple"]))
        .otherwise(pl.lit(["apple"]))
    )
    frame = roll_up_tasks(scores, group_rows(1, None), schemas.CLAIM_CHECKS.empty(), task_frame("T"))
    assert frame["flags"].to_list() == [["apple", "partial", "single_run", "zebra"]]


@pytest.mark.parametrize(
    ("status", "reason", "is_settled"),
    [
        ("contained", None, True),
        ("overlap", None, True),
        ("judge", None, True),
        ("inconclusive", "numbers", False),
        ("none", None, False),
        ("none", "empty_response", True),
    ],
)
def test_a_check_is_settled_by_a_match_a_verdict_or_silence(status, reason, is_settled):
    row = {"model_id": "m", "task_id": "T", "run_index": 0, "claim_id": "insight:0", "kind": "insight"}
    row |= {"made": False, "score": 0.0, "status": status, "reason": reason}
    claims = pl.DataFrame(
        [dict.fromkeys(schemas.CLAIM_CHECKS.columns) | row], schema=schemas.CLAIM_CHECKS.dtypes
    )
    made = roll_up_tasks(score_rows([{}]), group_rows(1, None), claims, task_frame("T")).row(0, named=True)
    assert (made["n_claims"], made["n_claims_settled"]) == (1, int(is_settled))
    assert made["claims_judged"] == float(is_settled)
    assert ("unjudged_claims" in made["flags"]) is not is_settled


def test_a_task_without_claims_has_no_share_of_judged_ones():
    assert one_group([{GROUNDING: 1.0}])["claims_judged"] is None


def test_a_group_of_an_unknown_task_is_a_bug_and_never_lost_in_silence():
    with pytest.raises(ContractError, match="0 rows for 1 groups"):
        roll_up_tasks(
            score_rows([{}]), group_rows(1, None), schemas.CLAIM_CHECKS.empty(), task_frame("other")
        )


def test_overall_is_the_mean_of_tasks_where_measured(make_tables):
    tables = make_tables()
    tasks = tables["task_scores"].with_columns(
        evidence_linkage=pl.when(pl.col("task_id") == "T00").then(0.5),
        n_scored_evidence_linkage=pl.when(pl.col("task_id") == "T00").then(3).otherwise(0).cast(pl.Int64),
    )
    row = roll_up(tasks, tables["tasks"]).overall.row(0, named=True)
    of_model = tasks.filter(pl.col("model_id") == row["model_id"])
    assert row[EVIDENCE] == 0.5
    assert (row["n_scored_evidence_linkage"], row["n_tasks"]) == (1, 4)
    assert row["composite"] == pytest.approx(math.fsum(of_model["composite"]) / 4, abs=1e-15)


def test_levels_pool_claims_and_compare_with_the_catalogue(make_tables):
    tables = make_tables()
    task_scores = tables["task_scores"].filter(pl.col("task_id") != "T03")
    levels = roll_up(task_scores, tables["tasks"])
    overall = levels.overall.row(0, named=True)
    assert overall["task_coverage"] == 0.75
    assert overall["claims_judged"] == overall["n_claims_settled"] / overall["n_claims"]
    assert dict(
        levels.pack.filter(pl.col("model_id") == "m/one").select("pack_id", "task_coverage").rows()
    ) == {
        "pack_even": 1.0,
        "pack_odd": 0.5,
    }
    assert dict(
        levels.track.filter(pl.col("model_id") == "m/one").select("track", "task_coverage").rows()
    ) == {
        1: 0.5,
        2: 1.0,
        3: 1.0,
    }


def test_no_order_of_rows_and_no_number_of_threads_changes_a_bit(make_tables):
    tables = make_tables(models=("a", "b", "c"), n_tasks=6, n_runs=7)
    names = ("run_scores", "consistency", "claim_checks", "tasks")
    expected = tables["task_scores"]
    for seed in range(5):
        shuffled = [tables[name].sample(fraction=1, shuffle=True, seed=seed) for name in names]
        with Database(threads=1 + seed) as database:
            made = roll_up_tasks(*shuffled, database=database)
            levels = roll_up(
                made.sample(fraction=1, shuffle=True, seed=seed), shuffled[-1], database=database
            )
        assert made.equals(expected)
        assert levels.overall.equals(tables["overall_scores"])


RUNS_OF_A_GROUP = st.lists(
    st.dictionaries(st.sampled_from(DIMENSIONS), st.none() | UNIT), min_size=1, max_size=6
)


@pytest.fixture(scope="module")
def database():
    with Database(threads=2) as opened:
        yield opened


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(groups=st.lists(st.tuples(RUNS_OF_A_GROUP, st.none() | UNIT), min_size=1, max_size=25))
def test_a_composite_lies_between_the_dimensions_and_within_0_and_1(database, groups):
    names = [f"T{n:02}" for n in range(len(groups))]
    made = roll_up_tasks(
        pl.concat([score_rows(runs, name) for name, (runs, _) in zip(names, groups, strict=True)]),
        pl.concat(
            [group_rows(len(runs), value, name) for name, (runs, value) in zip(names, groups, strict=True)]
        ),
        schemas.CLAIM_CHECKS.empty(),
        task_frame(*names),
        database=database,
    )
    for row in made.rows(named=True):
        measured = [row[key] for key in DIMENSIONS if row[key] is not None]
        assert all(0 <= value <= 1 for value in measured)
        assert row["weight_scored"] == sum(WEIGHTS[key] for key in DIMENSIONS if row[key] is not None) / 100
        for name in ("composite", "rubric_composite"):
            assert (row[name] is None) == (not measured)
            if measured:
                assert 0 <= row[name] <= 1
                assert min(measured) - 1e-12 <= row[name] <= max(measured) + 1e-12


def ranking(tables) -> list[tuple]:
    ranked = rank_models(tables["overall_scores"], tables["task_scores"])
    return ranked.select("section", "rank", "model_id").rows()


def all_judged(tables) -> dict[str, pl.DataFrame]:
    judged = tables["overall_scores"].with_columns(n_claims_settled="n_claims", claims_judged=pl.lit(1.0))
    return tables | {"overall_scores": judged}


def test_models_that_compare_are_ranked_in_one_section(make_tables):
    tables = all_judged(make_tables(models=("a", "b", "c")))
    scores = tables["overall_scores"].with_columns(composite=pl.Series([0.5, 0.7, 0.5]))
    assert ranking(tables | {"overall_scores": scores}) == [(1, 1, "b"), (1, 2, "a"), (1, 2, "c")]


def test_a_model_that_left_tasks_out_stands_below_with_the_reason(make_tables):
    tables = all_judged(make_tables(models=("a", "b")))
    overall = tables["overall_scores"].with_columns(
        composite=pl.when(pl.col("model_id") == "a").then(0.99).otherwise(0.1),
        task_coverage=pl.when(pl.col("model_id") == "a").then(0.5).otherwise(1.0),
    )
    ranked = rank_models(overall, tables["task_scores"])
    assert ranked["model_id"].to_list() == ["b", "a"]
    assert ranked["section"].to_list() == [1, 2]
    assert ranked["section_note"][1].startswith("only 50.0 % of the tasks answered")


def test_more_weight_scored_comes_first_and_the_note_names_what_is_missing(make_tables):
    tables = all_judged(make_tables(models=("a", "b")))
    is_b = pl.col("model_id") == "b"
    overall = tables["overall_scores"].with_columns(
        evidence_linkage=pl.when(is_b).then(0.1),
        weight_scored=pl.when(is_b).then(0.95).otherwise(0.8),
    )
    ranked = rank_models(overall, tables["task_scores"])
    assert ranked["model_id"].to_list() == ["b", "a"]
    assert ranked["section_note"].to_list() == [
        "not scored: Structure and usability",
        "not scored: Evidence linkage, Structure and usability",
    ]


def test_other_shares_of_judged_claims_do_not_compare(make_tables):
    tables = all_judged(make_tables(models=("a", "b")))
    overall = tables["overall_scores"].with_columns(
        claims_judged=pl.when(pl.col("model_id") == "a").then(0.5).otherwise(1.0)
    )
    ranked = rank_models(overall, tables["task_scores"])
    assert ranked.select("section", "model_id").rows() == [(1, "b"), (2, "a")]
    assert "only 50.0 % of the claim checks judged" in ranked["section_note"][1]


def test_equally_many_but_other_tasks_do_not_compare(make_tables):
    tables = all_judged(make_tables(models=("a", "b")))
    overall = tables["overall_scores"].with_columns(task_coverage=pl.lit(0.75))
    dropped = {"a": "T00", "b": "T01"}
    task_scores = tables["task_scores"].filter(
        pl.col("task_id") != pl.col("model_id").replace_strict(dropped, return_dtype=pl.String)
    )
    assert rank_models(overall, task_scores)["section"].to_list() == [1, 2]


def test_no_runs_give_empty_tables():
    made = roll_up_tasks(
        schemas.RUN_SCORES.empty(), schemas.CONSISTENCY.empty(), schemas.CLAIM_CHECKS.empty(), task_frame("T")
    )
    levels = roll_up(made, task_frame("T"))
    assert made.is_empty()
    assert all(frame.is_empty() for frame in levels)
    assert rank_models(levels.overall, made).is_empty()
