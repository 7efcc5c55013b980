"""The order of records, and how they are cut into batches, change nothing: not one bit."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fuzzing import examples
from support.scoring import SCORED, score_records
from support.strategies import records

unhurried = settings(max_examples=examples(4), deadline=None, suppress_health_check=list(HealthCheck))


def check_equal(tables, others):
    for name in SCORED:
        assert tables[name].equals(others[name]), name


@unhurried
@given(records(), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(given_records, chance):
    lists = (given_records.tasks, given_records.runs, given_records.verdicts)
    shuffled = [chance.sample(rows, len(rows)) for rows in lists]
    check_equal(score_records(*lists), score_records(*shuffled))


@unhurried
@given(records().filter(lambda given_records: given_records.runs), st.integers(1, 30))
def test_the_size_of_batches_changes_nothing(given_records, batch_runs):
    lists = (given_records.tasks, given_records.runs, given_records.verdicts)
    check_equal(score_records(*lists), score_records(*lists, batch_runs=batch_runs))
