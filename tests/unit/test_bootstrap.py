from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from grade.stats.bootstrap import mean_intervals, reasons, resampled_means

DRAW = np.random.default_rng(7)


def test_it_agrees_with_scipy_on_the_percentile_interval():
    values = DRAW.random(40)
    made = mean_intervals(values[:, None])
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert made.estimate[0] == pytest.approx(values.mean(), abs=1e-12)
    assert made.low[0] == pytest.approx(theirs.low, abs=0.004)
    assert made.high[0] == pytest.approx(theirs.high, abs=0.004)


def test_an_interval_of_95_percent_holds_the_truth_about_as_often():
    samples = DRAW.beta(4, 2, size=(60, 400))
    made = mean_intervals(samples, n_resamples=1_000)
    held = ((made.low <= 4 / 6) & (made.high >= 4 / 6)).mean()
    assert 0.90 <= held <= 0.98


def test_a_lower_level_gives_a_narrower_interval():
    values = DRAW.random((30, 1))
    wide, narrow = mean_intervals(values, level=0.95), mean_intervals(values, level=0.5)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "not_measured"),
        ([np.nan, np.nan], "not_measured"),
        ([0.4], "one_task"),
        ([0.4, np.nan], "one_task"),
        ([0.4, 0.4, 0.4], "all_equal"),
        ([0.0, 0.0, np.nan], "all_equal"),
        ([0.4, 0.5], ""),
    ],
)
def test_degenerate_columns_have_a_reason_and_no_interval(values, reason):
    column = np.array(values, dtype=float).reshape(-1, 1)
    made = mean_intervals(column)
    assert made.reason == reasons(column) == [reason]
    assert np.isnan(made.low[0]) == np.isnan(made.high[0]) == bool(reason)
    assert made.n[0] == np.isfinite(column).sum()
    if made.n[0]:
        assert made.estimate[0] == pytest.approx(np.nanmean(column))
    else:
        assert np.isnan(made.estimate[0])


def test_a_column_with_gaps_is_resampled_over_what_is_there():
    values = DRAW.random(25)
    gappy = np.full((40, 2), np.nan)
    gappy[:25, 0] = values
    gappy[10:35, 1] = values
    alone = mean_intervals(values[:, None])
    made = mean_intervals(gappy)
    assert made.low.tolist() == [alone.low[0]] * 2
    assert made.high.tolist() == [alone.high[0]] * 2


def test_columns_do_not_depend_on_their_neighbours():
    values = DRAW.random((20, 600))
    together = mean_intervals(values, n_resamples=200)
    apart = [mean_intervals(values[:, [column]], n_resamples=200) for column in (0, 255, 256, 599)]
    assert [made.low[0] for made in apart] == together.low[[0, 255, 256, 599]].tolist()


def test_many_rows_are_drawn_in_blocks_and_means_stay_near_the_mean():
    values = DRAW.random((30_000, 1))
    means = resampled_means(values, seed=1, n_resamples=150)
    assert means.shape == (1, 150)
    assert abs(means.mean() - values.mean()) < 0.001


def test_the_seed_decides_and_nothing_else():
    values = DRAW.random((15, 3))
    once, again, other = (mean_intervals(values, seed=seed) for seed in (1, 1, 2))
    assert once.low.tolist() == again.low.tolist() != other.low.tolist()
