"""Candidates: the whole entries and sentences that may make a claim."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.text.corpus import Corpus

CLAIM_FIELDS: Final[dict[str, tuple[int, ...]]] = {
    "insight": (0,),
    "limitation": (1,),
    "forbidden": (0, 1, 2),
}
"""The fields that are searched for each kind of claim, by field_no."""

_ENTRY: Final = ["run_id", "field_no", "entry_no"]
_ENTRY_FIELDS: Final = 1


class Candidates(NamedTuple):
    """What a batch may be read as claiming.

    Attributes:
        places: A row per candidate where it stands: run_id, task_no, field_no, entry_no, part_no
            (0 is the whole entry, then its sentences from 1), text_id.
        tokens: text_id, position, token_id, contiguous and in order; gold texts included.
        texts: text_id, text.
    """

    places: pl.DataFrame
    tokens: pl.DataFrame
    texts: pl.DataFrame


def collect_candidates(corpus: Corpus, spans: pl.DataFrame) -> Candidates:
    """Collect entries of several sentences beside the sentences themselves.

    An entry of one sentence is that sentence, and so is every sentence of the raw text.

    Args:
        corpus: The texts; a sentence's text_id is its sentence_id.
        spans: SPANS with task_no.
    """
    long = _long_entries(spans)
    distinct = long.select("sentences").unique(maintain_order=True)
    first = corpus.first_free
    distinct = distinct.with_columns(text_id=pl.int_range(first, first + pl.len(), dtype=pl.UInt32))
    whole = long.join(distinct, on="sentences", maintain_order="left").select(
        *_ENTRY, "task_no", "text_id", part_no=pl.lit(0, pl.UInt32)
    )
    parts = spans.filter(pl.col("field_no") <= max(CLAIM_FIELDS["forbidden"])).select(
        *_ENTRY, "task_no", text_id="sentence_id", part_no=pl.col("sentence_no") + pl.lit(1, pl.UInt32)
    )
    tokens, texts = _joined(distinct, corpus)
    sentences = corpus.tokens.select("position", "token_id", text_id="sentence_id")
    return Candidates(
        pl.concat([whole, parts]),
        pl.concat([sentences.select(tokens.columns), tokens]),
        pl.concat([corpus.texts.rename({"sentence_id": "text_id"}), texts]),
    )


def _long_entries(spans: pl.DataFrame) -> pl.DataFrame:
    """Entries of several sentences, with these in order."""
    return (
        spans.filter(pl.col("field_no") <= _ENTRY_FIELDS)
        .group_by(*_ENTRY, "task_no", maintain_order=True)
        .agg(sentences=pl.col("sentence_id"))
        .filter(pl.col("sentences").list.len() > 1)
    )


def _joined(distinct: pl.DataFrame, corpus: Corpus) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tokens and text of each distinct list of sentences, put one behind the other."""
    parts = distinct.explode("sentences").rename({"sentences": "sentence_id"})
    tokens = parts.join(
        corpus.tokens.select("sentence_id", "token_id"), on="sentence_id", maintain_order="left_right"
    ).select("text_id", "token_id", position=pl.int_range(pl.len(), dtype=pl.UInt32).over("text_id"))
    texts = (
        parts.join(corpus.texts, on="sentence_id", maintain_order="left")
        .group_by("text_id", maintain_order=True)
        .agg(pl.col("text").str.join(" "))
    )
    return tokens, texts
