"""The texts of a batch and of the catalogue, read together, so that both speak in the same tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from grade.schemas import TOKENS, check
from grade.text.quantities import find_quantities
from grade.text.tokens import tokenise
from grade.text.words import content_words


class Corpus(NamedTuple):
    """What the sentences of a batch and the gold texts hold.

    Gold text n is sentence `first_gold + n`. All frames are ordered by sentence and position.

    Attributes:
        tokens: sentence_id, position, token_id, clause (see `grade.schemas.TOKENS`).
        vocabulary: token_id, token, is_number, is_cue, is_doubt, is_direction, entity, kind.
        words: token_id, word: the content words of each distinct token.
        quantities: sentence_id, position, clause, value, is_percent, is_difference.
        entities: sentence_id, position, clause, kind, entity.
        cues: sentence_id, position, clause of every negation cue.
        texts: sentence_id, text.
        first_gold: The sentence_id of the first gold text.
    """

    tokens: pl.DataFrame
    vocabulary: pl.DataFrame
    words: pl.DataFrame
    quantities: pl.DataFrame
    entities: pl.DataFrame
    cues: pl.DataFrame
    texts: pl.DataFrame
    first_gold: int


def read_corpus(sentences: pl.DataFrame, gold_texts: pl.DataFrame) -> Corpus:
    """Read distinct sentences (SENTENCES) and gold texts (GOLD_TEXTS) in one go."""
    first_gold = sentences.height
    texts = pl.concat(
        [
            sentences,
            gold_texts.select(sentence_id=pl.col("text_no") + pl.lit(first_gold, pl.UInt32), text="text"),
        ]
    )
    lexed = tokenise(texts)
    tokens = check(lexed.tokens.select(TOKENS.columns), TOKENS, where="read_corpus")
    return Corpus(
        tokens,
        lexed.vocabulary,
        content_words(lexed.vocabulary),
        find_quantities(lexed),
        marked(tokens, lexed.vocabulary.drop_nulls("entity").select("token_id", "kind", "entity")),
        marked(tokens, lexed.vocabulary.filter("is_cue").select("token_id")),
        texts,
        first_gold,
    )


def marked(tokens: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """Return the tokens that `marks` lists: sentence_id, position, clause and the other columns of marks."""
    return (
        tokens.filter(among(tokens["token_id"], marks["token_id"]))
        .join(marks, on="token_id", how="inner", maintain_order="left")
        .select("sentence_id", "position", "clause", *(name for name in marks.columns if name != "token_id"))
    )


def among(token_ids: pl.Series, wanted: pl.Series) -> pl.Series:
    """Tell which ids are among those wanted, by a table of flags: far cheaper than a join."""
    ids, marked_ids = token_ids.to_numpy(), wanted.to_numpy()
    flags = np.zeros(max(ids.max(initial=0), marked_ids.max(initial=0)) + 1, dtype=np.bool_)
    flags[marked_ids] = True
    return pl.Series(flags[ids])


def sentence_words(corpus: Corpus, sentences: pl.DataFrame, wanted: pl.Series | None = None) -> pl.DataFrame:
    """Return the distinct content words of some sentences: sentence_id, word.

    Args:
        corpus: The texts.
        sentences: sentence_id.
        wanted: The only words that matter; all when not given.
    """
    words = corpus.words
    if wanted is not None:
        words = words.filter(pl.col("word").is_in(wanted.unique().implode()))
    tokens = corpus.tokens.select("sentence_id", "token_id").filter(
        among(corpus.tokens["token_id"], words["token_id"])
        & among(corpus.tokens["sentence_id"], sentences["sentence_id"])
    )
    return tokens.join(words, on="token_id").select("sentence_id", "word").unique()
