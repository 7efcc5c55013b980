"""The chapters on text, numbers and metrics."""

from __future__ import annotations

from functools import cache

import pytest
from book import Case, read_chapter
from support.texts import Reading, read_metrics, read_texts

READING = read_chapter("reading")
QUANTITIES = read_chapter("quantities")
METRICS = read_chapter("metrics")


@cache
def readings() -> dict[int, Reading]:
    cases = [*READING, *QUANTITIES]
    return dict(zip(map(id, cases), read_texts([case.cells["written"] for case in cases]), strict=True))


@cache
def leaves() -> dict[int, list]:
    return dict(zip(map(id, METRICS), read_metrics([case.cells["metrics"] for case in METRICS]), strict=True))


def spelled(number: float, mark: str) -> str:
    return f"{number:.12g} {mark}".strip()


def told(case: Case) -> tuple[str, list[str]]:
    """The column that a case is about, and what was read there."""
    reading = readings()[id(case)]
    kinds = {
        "sentences": [" ".join(sentence.split()) for sentence in reading.sentences],
        "tokens": [" ".join(reading.tokens)],
        "entities": [" ".join(reading.entities)],
        "cues": [" ".join(reading.cues)],
        "words": [" ".join(reading.words)],
        "clauses": reading.clauses,
        "quantities": [
            spelled(value, "pt" if is_difference else "%" if is_percent else "")
            for value, is_percent, is_difference in reading.quantities
        ],
    }
    column = next(name for name in kinds if name in case.cells)
    return column, [text for text in kinds[column] if text]


@pytest.mark.parametrize("case", [*READING, *QUANTITIES], ids=str)
def test_a_text_is_read_as_written_here(case):
    column, read = told(case)
    assert read == case.texts(column)


@pytest.mark.parametrize("case", METRICS, ids=str)
def test_metrics_are_flattened_as_written_here(case):
    flat = [
        f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {spelled(value, '%' if flag else '')}"
        for key, value, flag in leaves()[id(case)]
    ]
    assert flat == case.texts("leaves")
