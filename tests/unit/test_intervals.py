from __future__ import annotations

import polars as pl
import pytest

from grade import schemas
from grade.dimensions import DIMENSIONS
from grade.intervals import MEASURES, estimate_uncertainty
from grade.rollup import rank_models, roll_up


def settled(tables) -> dict[str, pl.DataFrame]:
    """All claims judged, so that all models compare."""
    judged = tables["task_scores"].with_columns(n_claims_settled="n_claims", claims_judged=pl.lit(1.0))
    levels = roll_up(judged, tables["tasks"])
    return {
        "task_scores": judged,
        "overall_scores": levels.overall,
        "track_scores": levels.track,
        "pack_scores": levels.pack,
    }


@pytest.fixture
def tables(make_tables):
    made = make_tables(models=("a", "b", "c"), n_tasks=9, n_runs=2)
    return settled(made) | {"tasks": made["tasks"]}


def test_every_rolled_up_score_has_a_row_whose_centre_it_is(tables):
    intervals = estimate_uncertainty(tables["task_scores"]).intervals
    for level, table, keys in (
        ("overall", "overall_scores", ["model_id"]),
        ("track", "track_scores", ["model_id", "track"]),
        ("pack", "pack_scores", ["model_id", "pack_id"]),
    ):
        rolled = tables[table].unpivot(on=MEASURES, index=keys, variable_name="measure", value_name="rolled")
        joined = intervals.filter(pl.col("level") == level).join(rolled, on=[*keys, "measure"], how="full")
        assert joined.height == rolled.height
        assert (joined["estimate"].is_null() == joined["rolled"].is_null()).all()
        assert (joined["estimate"] - joined["rolled"]).abs().max() < 1e-12
        inside = joined.drop_nulls("low")
        assert (
            inside.select((pl.col("low") <= pl.col("estimate")) & (pl.col("estimate") <= pl.col("high")))
            .to_series()
            .all()
        )


def test_what_was_not_measured_is_null_with_a_reason(tables):
    intervals = estimate_uncertainty(tables["task_scores"]).intervals
    row = intervals.filter(pl.col("measure") == "evidence_linkage")
    assert row["estimate"].null_count() == row.height
    assert row["no_interval"].unique().to_list() == ["not_measured"]
    assert row["n_measured"].unique().to_list() == [0]


def test_no_float_is_nan(tables):
    for frame in estimate_uncertainty(tables["task_scores"]):
        assert not frame.select(pl.any_horizontal(pl.col(pl.Float64).is_nan().any())).item()


def test_one_task_gives_points_without_intervals(tables):
    made = estimate_uncertainty(tables["task_scores"].filter(pl.col("task_id") == "T00"))
    composites = made.intervals.filter(pl.col("measure") == "composite")
    assert composites["no_interval"].unique().to_list() == ["one_task"]
    assert composites["estimate"].null_count() == 0
    assert made.comparisons.filter(pl.col("measure") == "composite")["p_value"].null_count() == 3


def test_ranks_are_among_models_that_compare(tables):
    is_c = pl.col("model_id") == "c"
    left_out = tables["task_scores"].filter(~(is_c & (pl.col("task_id") == "T00")))
    rows = {
        row["model_id"]: row
        for row in estimate_uncertainty(left_out)
        .intervals.filter(pl.col("level") == "overall", pl.col("measure") == "composite")
        .rows(named=True)
    }
    assert {rows[model]["n_ranked"] for model in "ab"} == {2}
    assert rows["c"]["rank_low"] is rows["c"]["n_ranked"] is None


def test_other_shares_of_judged_claims_are_not_ranked_together(tables):
    changed = tables["task_scores"].with_columns(
        n_claims_settled=pl.when(pl.col("model_id") == "c")
        .then(0)
        .otherwise("n_claims_settled")
        .cast(pl.Int64)
    )
    made = estimate_uncertainty(changed)
    pairs = made.comparisons.filter(pl.col("measure") == "composite")
    assert dict(
        zip(zip(pairs["model_id"], pairs["other_model_id"], strict=True), pairs["is_comparable"], strict=True)
    ) == {
        ("a", "b"): True,
        ("a", "c"): False,
        ("b", "c"): False,
    }


def test_composites_are_compared_where_they_are_made_of_the_same(tables):
    lacking = (pl.col("model_id") == "b") & (pl.col("task_id") == "T01")
    changed = tables["task_scores"].with_columns(insight_quality=pl.when(~lacking).then("insight_quality"))
    pairs = estimate_uncertainty(changed).comparisons
    pair = (pl.col("model_id") == "a") & (pl.col("other_model_id") == "b")
    counted = dict(pairs.filter(pair).select("measure", "n_measured").rows())
    assert counted["composite"] == counted["insight_quality"] == 8
    assert counted["grounding_accuracy"] == 9


def test_the_difference_of_a_pair_is_that_of_its_composites(tables):
    overall = dict(tables["overall_scores"].select("model_id", "composite").rows())
    for row in (
        estimate_uncertainty(tables["task_scores"])
        .comparisons.filter(pl.col("measure") == "composite")
        .rows(named=True)
    ):
        assert row["difference"] == pytest.approx(
            overall[row["model_id"]] - overall[row["other_model_id"]], abs=1e-12
        )
        assert row["p_holm"] >= row["p_value"]


def test_no_order_of_rows_changes_a_bit(tables):
    expected = estimate_uncertainty(tables["task_scores"])
    for seed in range(3):
        shuffled = tables["task_scores"].sample(fraction=1, shuffle=True, seed=seed)
        made = estimate_uncertainty(shuffled)
        assert made.intervals.equals(expected.intervals)
        assert made.comparisons.equals(expected.comparisons)


def test_no_scores_give_empty_tables():
    made = estimate_uncertainty(schemas.TASK_SCORES.empty())
    assert made.intervals.is_empty()
    assert made.comparisons.is_empty()


def ranked(tables, composites: dict, bounds: dict) -> dict:
    overall = tables["overall_scores"].with_columns(
        composite=pl.col("model_id").replace_strict(composites, return_dtype=pl.Float64)
    )
    rows = [
        {
            "model_id": model,
            "level": "overall",
            "measure": "composite",
            "low": low,
            "high": high,
            "n_measured": 9,
        }
        for model, (low, high) in bounds.items()
    ]
    blank = dict.fromkeys(schemas.INTERVALS.columns)
    intervals = pl.DataFrame([blank | row for row in rows], schema=schemas.INTERVALS.dtypes)
    board = rank_models(overall, tables["task_scores"], intervals)
    return dict(board.select("model_id", "rank").rows())


@pytest.mark.parametrize(
    ("bounds", "ranks"),
    [
        ({"a": (0.7, 0.9), "b": (0.6, 0.8), "c": (0.2, 0.4)}, {"a": 1, "b": 1, "c": 3}),
        ({"a": (0.79, 0.81), "b": (0.69, 0.71), "c": (0.29, 0.31)}, {"a": 1, "b": 2, "c": 3}),
        ({"a": (0.7, 0.9), "b": (0.7, 0.7), "c": (0.2, 0.7)}, {"a": 1, "b": 1, "c": 1}),
        ({}, {"a": 1, "b": 2, "c": 3}),
        ({"a": (None, None), "b": (0.6, 0.79), "c": (None, None)}, {"a": 1, "b": 2, "c": 3}),
    ],
)
def test_a_rank_is_one_more_than_the_models_wholly_above(tables, bounds, ranks):
    assert ranked(tables, {"a": 0.8, "b": 0.7, "c": 0.3}, bounds) == ranks


def test_measures_are_the_composite_and_the_dimensions():
    assert ("composite", *DIMENSIONS) == MEASURES


def test_of_many_models_only_neighbours_are_compared(make_tables):
    many = settled(make_tables(models=tuple(f"m{number:02}" for number in range(26)), n_tasks=4, n_runs=1))
    pairs = estimate_uncertainty(many["task_scores"], n_resamples=50).comparisons.filter(
        pl.col("measure") == "composite"
    )
    place = {
        model: place
        for place, model in enumerate(many["overall_scores"].sort("composite", descending=True)["model_id"])
    }
    apart = [
        abs(place[one] - place[other]) for one, other in pairs.select("model_id", "other_model_id").rows()
    ]
    assert pairs["is_comparable"].all()
    assert (min(apart), max(apart), len(apart)) == (1, 3, 25 + 24 + 23)
