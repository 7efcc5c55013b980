"""Texts are cut by position in their bytes; whatever they hold, that must be what cutting them one by one gives."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fuzzing import examples

from grade.text.chunks import cut_chunks
from grade.text.incidence import token_rows

TEXTS = st.lists(st.text(st.sampled_from("aB 1.\tÄςΣß\u00a0😀"), max_size=12), max_size=6)


def series(texts: list[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


@settings(deadline=None, max_examples=examples(200))
@given(TEXTS, st.integers(0, 6))
def test_chunks_are_what_stands_between_spaces_in_lower_case(texts, start):
    chunks = cut_chunks(series(["held back", *texts])[1:][start:])
    found = {number: [] for number in range(len(texts[start:]))}
    for owner, code in zip(chunks.owners, chunks.codes, strict=True):
        found[int(owner)].append(chunks.distinct[int(code)])
    assert list(found.values()) == [[*text.lower().split(" "), ""] for text in texts[start:]]
    assert chunks.distinct.n_unique() == len(chunks.distinct)


@settings(deadline=None, max_examples=examples(200))
@given(
    st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 5), max_size=3), max_size=5),
    st.lists(st.integers(0, 12), max_size=6),
)
def test_the_tokens_of_texts_are_listed_in_order_as_often_as_a_text_is_wanted(tokens, wanted):
    owners = [text for text, held in tokens.items() for _ in held]
    listed = [token for held in tokens.values() for token in held]
    row, token = token_rows(
        pl.Series(wanted, dtype=pl.UInt32),
        pl.Series(owners, dtype=pl.UInt32),
        pl.Series(listed, dtype=pl.UInt32),
    )
    expected = [(place, one) for place, text in enumerate(wanted) for one in tokens.get(text, [])]
    assert list(zip(row.tolist(), np.asarray(token).tolist(), strict=True)) == expected
