"""The scorer and its twin read the same sentences, tokens, clauses, quantities and entities in any text."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from support.fuzzing import PARTS
from support.strategies import any_text, metric_objects, metric_values, phrases
from support.texts import Reading, read_metrics, read_texts
from twin.entities import entities_in
from twin.metrics import flatten
from twin.quantities import quantities
from twin.text import is_cue, read_entry


def twin_reading(text: str) -> Reading:
    reading = Reading()
    for sentence in read_entry(text).sentences:
        reading.sentences.append(sentence.text)
        reading.tokens += sentence.words
        clauses: dict[int, list[str]] = {}
        for number, word in zip(sentence.clauses, sentence.words, strict=True):
            clauses.setdefault(number, []).append(word)
        reading.clauses += [" ".join(words) for words in clauses.values()]
        reading.quantities += [
            (found.value, found.percent, found.difference) for found in quantities(sentence)
        ]
        reading.entities += [entity.name for entity in entities_in(sentence.words)]
        reading.cues += [word for word in sentence.words if is_cue(word)]
        reading.words = sorted({*reading.words, *sentence.content})
    return reading


def twin_leaves(document: dict) -> list[tuple]:
    return [
        (leaf.key, leaf.text if leaf.number is None else leaf.number, leaf.percent)
        for leaf in flatten(document).leaves
    ]


unhurried = settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
texts = st.lists(st.lists(phrases | any_text, min_size=1, max_size=3).map("".join), max_size=150)


@pytest.mark.parametrize("part", PARTS)
def test_the_twin_reads_any_text_alike(part):
    @seed(part)
    @unhurried
    @given(texts)
    def agrees(written):
        for text, ours in zip(written, read_texts(written), strict=True):
            assert (text, ours) == (text, twin_reading(text))

    agrees()


@pytest.mark.parametrize("part", PARTS)
def test_the_twin_flattens_any_metrics_alike(part):
    @seed(part)
    @unhurried
    @given(st.lists(metric_objects(metric_values()), max_size=15))
    def agrees(documents):
        ours = read_metrics([json.dumps(document) for document in documents])
        assert ours == [twin_leaves(document) for document in documents]

    agrees()
