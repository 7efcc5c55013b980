"""Agreement figures against independent libraries, on random ratings with gaps."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from grade.agreement import measure_agreement
from grade.schemas import VERDICTS
from grade.stats import agreement as stats

krippendorff = pytest.importorskip("krippendorff")
metrics = pytest.importorskip("sklearn.metrics")

SEEDS = range(3)


def draw(seed: int, n_judges: int, size: int) -> np.ndarray:
    """Ratings of one truth with noise and gaps: judges x items, NaN where none was given."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, size, 60)
    ratings = np.clip(truth + random.integers(-1, 2, (n_judges, 60)), 0, size - 1).astype(float)
    ratings[random.random(ratings.shape) < 0.25] = np.nan
    return ratings


def verdicts_of(ratings: np.ndarray) -> pl.DataFrame:
    rows = [
        dict.fromkeys(VERDICTS.columns)
        | {"model_id": "m", "task_id": "T", "run_index": item, "dimension": "evidence_linkage"}
        | {
            "judge_id": f"j{judge}",
            "int_score": int(rating) + 1,
            "unit_score": [0, 0.25, 0.5, 0.8, 1][int(rating)],
        }
        for judge, of_judge in enumerate(ratings)
        for item, rating in enumerate(of_judge)
        if not np.isnan(rating)
    ]
    return pl.DataFrame(rows, schema=VERDICTS.dtypes)


def value(table: pl.DataFrame, statistic: str, judges: tuple = (None, None)) -> float:
    row = table.filter(
        (pl.col("target") == "evidence_linkage")
        & (pl.col("scale") == "integer")
        & (pl.col("statistic") == statistic)
        & pl.col("judge_a").eq_missing(pl.lit(judges[0]))
        & pl.col("judge_b").eq_missing(pl.lit(judges[1]))
    )
    return row["value"].item()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_with_gaps_is_that_of_the_library(seed, level):
    ratings = draw(seed, 4, 5)
    ours = value(measure_agreement(verdicts_of(ratings), n_draws=10), f"alpha_{level}")
    theirs = krippendorff.alpha(ratings, level_of_measurement=level, value_domain=[0, 1, 2, 3, 4])
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("statistic", "weights"), [("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")]
)
def test_kappa_is_that_of_the_library(seed, statistic, weights):
    ratings = draw(seed, 2, 5)
    both = ~np.isnan(ratings).any(axis=0)
    ours = value(measure_agreement(verdicts_of(ratings), n_draws=10), statistic, ("j0", "j1"))
    theirs = metrics.cohen_kappa_score(
        ratings[0, both], ratings[1, both], weights=weights, labels=[0, 1, 2, 3, 4]
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_of_two_judges_is_that_of_the_library(seed):
    ratings = draw(seed, 2, 5)
    ours = value(measure_agreement(verdicts_of(ratings), n_draws=10), "alpha_ordinal", ("j0", "j1"))
    theirs = krippendorff.alpha(ratings, level_of_measurement="ordinal", value_domain=[0, 1, 2, 3, 4])
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_plain_figures_are_those_of_the_ratings(seed):
    ratings = draw(seed, 2, 5)
    gaps = (ratings[0] - ratings[1])[~np.isnan(ratings).any(axis=0)]
    table = measure_agreement(verdicts_of(ratings), n_draws=10)
    assert value(table, "exact", ("j0", "j1")) == pytest.approx((gaps == 0).mean())
    assert value(table, "adjacent", ("j0", "j1")) == pytest.approx((abs(gaps) <= 1).mean())
    assert value(table, "mean_signed_difference", ("j0", "j1")) == pytest.approx(gaps.mean())


def test_an_interval_is_that_of_drawing_items_one_by_one():
    random = np.random.default_rng(5)
    table = np.array([[30.0, 6.0], [8.0, 26.0]])
    items = np.repeat(np.arange(4), table.ravel().astype(int))
    drawn = [np.bincount(random.choice(items, len(items)), minlength=4).reshape(2, 2) for _ in range(4_000)]
    values = [
        metrics.cohen_kappa_score([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=each.ravel()) for each in drawn
    ]
    found = stats.estimate(
        table.ravel(),
        lambda counts: stats.cohen_kappa(counts.reshape(*counts.shape[:-1], 2, 2)),
        n_draws=4_000,
        seed=1,
    )
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.02)
