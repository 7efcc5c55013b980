from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.fuzzing import examples

from grade.stats.bootstrap import mean_intervals
from grade.stats.comparison import holm, paired_differences

SCORES = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.one_of(st.just(np.nan), st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])),
)


@settings(deadline=None, max_examples=examples(60))
@given(values=SCORES)
def test_an_interval_lies_within_what_was_measured_or_has_a_reason(values):
    made = mean_intervals(values, n_resamples=50)
    for column in range(values.shape[1]):
        there = values[~np.isnan(values[:, column]), column]
        assert made.n[column] == len(there)
        if made.reason[column]:
            assert np.isnan(made.low[column])
            assert np.isnan(made.high[column])
        else:
            assert there.min() - 1e-9 <= made.low[column] <= made.high[column] <= there.max() + 1e-9


@settings(deadline=None, max_examples=examples(40))
@given(values=SCORES, order=st.randoms(use_true_random=False))
def test_p_and_mean_do_not_depend_on_the_order_of_tasks(values, order):
    differences = values - 0.5
    rows = list(range(len(values)))
    order.shuffle(rows)
    made, shuffled = (paired_differences(part, n_resamples=50) for part in (differences, differences[rows]))
    np.testing.assert_array_equal(made.difference, shuffled.difference)
    np.testing.assert_array_equal(made.p_value, shuffled.p_value)
    assert made.reason == shuffled.reason
    known = made.p_value[~np.isnan(made.p_value)]
    assert ((known > 0) & (known <= 1)).all()


@given(p=arrays(np.float64, st.integers(0, 20), elements=st.one_of(st.just(np.nan), st.floats(0, 1))))
def test_holm_never_lowers_a_p_and_keeps_their_order(p):
    adjusted = holm(p)
    np.testing.assert_array_equal(np.isnan(adjusted), np.isnan(p))
    known = ~np.isnan(p)
    assert (adjusted[known] >= p[known]).all()
    assert (adjusted[known] <= 1).all()
    order = np.argsort(p[known], kind="stable")
    assert (np.diff(adjusted[known][order]) >= 0).all()
