from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from grade.stats.comparison import holm, paired_differences, rank_ranges, smallest_difference

DRAW = np.random.default_rng(11)


@pytest.mark.parametrize("n_tasks", [5, 9, 12])
def test_few_tasks_give_the_exact_p_of_scipy(n_tasks):
    values = DRAW.normal(0.05, 0.1, size=n_tasks)
    made = paired_differences(values[:, None])
    theirs = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert made.p_value[0] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_many_tasks_give_the_p_of_scipy_within_chance():
    values = DRAW.normal(0.03, 0.1, size=30)
    made = paired_differences(values[:, None])
    theirs = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(3)
    )
    assert made.p_value[0] == pytest.approx(theirs.pvalue, abs=0.02)


def test_p_is_never_zero_and_uniform_when_there_is_no_difference():
    values = DRAW.normal(0, 0.1, size=(26, 400))
    p = paired_differences(values, n_resamples=500).p_value
    assert p.min() > 0
    assert (p < 0.05).mean() < 0.09
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_turning_a_pair_round_turns_the_difference_and_keeps_p():
    values = DRAW.normal(0.02, 0.1, size=(20, 3))
    made, turned = paired_differences(values), paired_differences(-values)
    assert turned.difference.tolist() == (-made.difference).tolist()
    assert turned.p_value.tolist() == made.p_value.tolist()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([np.nan, np.nan], "not_measured"),
        ([0.3, np.nan], "one_task"),
        ([0.1, 0.1, 0.1], "all_equal"),
        ([0.0, 0.0], "all_equal"),
    ],
)
def test_degenerate_pairs_have_a_reason_and_neither_interval_nor_p(values, reason):
    made = paired_differences(np.array(values).reshape(-1, 1))
    assert made.reason == [reason]
    assert all(np.isnan(part[0]) for part in (made.low, made.high, made.p_value, made.smallest))


def test_the_smallest_difference_is_seen_four_times_in_five():
    noise = 0.1
    seen = smallest_difference(DRAW.normal(0, noise, size=(20, 2_000))).mean()
    samples = DRAW.normal(seen, noise, size=(20, 4_000))
    found = stats.ttest_1samp(samples, 0).pvalue < 0.05
    assert 0.76 <= found.mean() <= 0.84


def test_more_tasks_show_smaller_differences():
    values = DRAW.normal(0, 0.1, size=(80, 1))
    assert smallest_difference(values)[0] < smallest_difference(values[:20])[0]


def test_holm_steps_down_and_leaves_out_what_was_not_compared():
    assert holm(np.array([0.01, 0.02, 0.03])).tolist() == pytest.approx([0.03, 0.04, 0.04])
    assert holm(np.array([0.9, 0.6])).tolist() == [1.0, 1.0]
    adjusted = holm(np.array([np.nan, 0.01, np.nan, 0.5]))
    assert np.isnan(adjusted[[0, 2]]).all()
    assert adjusted[[1, 3]].tolist() == [0.02, 0.5]
    assert holm(np.array([])).tolist() == []


def test_ranks_of_clear_winners_do_not_move_and_those_of_twins_do():
    base = DRAW.random(30) * 0.1
    clear = np.column_stack([base + 0.8, base + 0.5, base + 0.1])
    low, high = rank_ranges(clear)
    assert (low.tolist(), high.tolist()) == ([1, 2, 3], [1, 2, 3])
    twins = np.column_stack([base + 0.8, DRAW.random(30), DRAW.random(30)])
    low, high = rank_ranges(twins)
    assert (low[0], high[0]) == (1, 1)
    assert (low[1:].tolist(), high[1:].tolist()) == ([2, 2], [3, 3])


def test_equal_models_share_the_best_rank():
    column = DRAW.random(10)
    low, high = rank_ranges(np.column_stack([column, column]))
    assert (low.tolist(), high.tolist()) == ([1, 1], [1, 1])
