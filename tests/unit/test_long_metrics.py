"""Long documents of metrics are walked in another way than short ones, and give the same leaves."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grade.metrics
from grade.db import Database
from grade.ingest.decoding import Unfit
from grade.ingest.metrics import metrics_text
from grade.metrics import flatten_metrics

NAMES = st.sampled_from(["rate", "a b", 'quo"te', "x.y", "$", "*", "é", "", "0", "SCH-001"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["80.9%", "SCH-001", "Oct", "some words", "", "$1,234"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.lists(st.dictionaries(NAMES, VALUES, max_size=5), max_size=6)


def runs(documents: list[dict]) -> pl.DataFrame:
    texts = [json.dumps(document) for document in documents]
    schema = {"run_id": pl.UInt32, "structured_metrics": pl.String}
    return pl.DataFrame({"run_id": range(len(texts)), "structured_metrics": texts}, schema=schema)


@settings(max_examples=25, deadline=None)
@given(DOCUMENTS)
def test_both_ways_give_the_same_leaves(documents):
    usual = grade.metrics._SHORT_BYTES
    with Database() as database:
        short = flatten_metrics(runs(documents), database=database)
        for limit in (-1, 30):
            try:
                grade.metrics._SHORT_BYTES = limit
                long = flatten_metrics(runs(documents), database=database)
            finally:
                grade.metrics._SHORT_BYTES = usual
            assert long.leaves.equals(short.leaves)
            assert long.nonfinite.equals(short.nonfinite)


@pytest.mark.parametrize(
    "document",
    [
        {f"rate_{number}": number / 7 for number in range(50_000)},
        {"rates": list(range(50_000))},
        {"by_school": [{"id": f"SCH-{number:05}", "n": number} for number in range(25_000)]},
    ],
)
def test_a_document_of_a_megabyte_takes_seconds_and_no_gigabytes(document):
    with Database(memory_limit="500MB") as database:
        leaves = flatten_metrics(runs([document]), database=database).leaves
    assert leaves.height == 50_000


def test_the_number_of_values_has_a_limit():
    metrics = {"a": [1, 2, 3], "b": {"c": 4}}
    assert (
        metrics_text(metrics, max_depth=9, max_values=6)[0]
        == json.dumps(metrics, separators=(",", ":")).encode()
    )
    with pytest.raises(Unfit, match="has 6 values; the limit is 5") as told:
        metrics_text({"a": [1, 2, 3, 4], "b": 5}, max_depth=9, max_values=5)
    assert told.value.reason == "too_many_entries"
    assert metrics_text({"a": "1,2,3,4,5,6,7"}, max_depth=9, max_values=5)[1] == set()
