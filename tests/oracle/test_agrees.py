"""The scorer and its twin, written apart from the same page, give the same tables field by field."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, seed, settings
from support.fuzzing import PARTS, PHASES
from support.scoring import score_records
from support.strategies import Records, records
from twin.score import score as twin_score

EXAMPLES_OF_A_PART = 16
RELATIVE = 1e-9


def same(ours: object, theirs: object) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=1e-12)
    return ours == theirs


def differences(given: Records) -> Iterator[str]:
    ours = score_records(given.tasks, given.runs, given.verdicts)
    for name, theirs in twin_score(given.tasks, given.runs, given.verdicts).items():
        table = ours[name]
        if table.height != len(theirs):
            yield f"{name}: {table.height} rows, the twin has {len(theirs)}"
            continue
        for row, other in zip(table.rows(named=True), theirs, strict=True):
            wrong = {key: (row[key], value) for key, value in other.items() if not same(row[key], value)}
            if wrong:
                place = {
                    key: value for key, value in row.items() if key.endswith("_id") or key == "run_index"
                }
                yield f"{name} {place}: (ours, the twin's) {wrong}"


@pytest.mark.parametrize("part", PARTS)
def test_the_twin_agrees_on_random_answers(part):
    @seed(part)
    @settings(
        max_examples=EXAMPLES_OF_A_PART,
        phases=PHASES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(records())
    def agrees(given_records):
        assert list(differences(given_records)) == []

    agrees()
