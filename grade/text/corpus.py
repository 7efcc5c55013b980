"""The texts of a batch and of the catalogue, read together, so that both speak in the same tokens."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from grade.schemas import TOKENS, check
from grade.text.chunks import Chunks, cut_chunks
from grade.text.encoding import flags_at
from grade.text.quantities import find_quantities
from grade.text.tokens import read_tokens
from grade.text.words import content_words


class Texts(NamedTuple):
    """The texts of a batch and of the catalogue, cut but not read.

    Attributes:
        frame: sentence_id and text; sentence n in row n.
        chunks: Their chunks.
        first_gold: The sentence_id of the first gold text.
    """

    frame: pl.DataFrame
    chunks: Chunks
    first_gold: int


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
        first_free: The first number that is no sentence_id.
    """

    tokens: pl.DataFrame
    vocabulary: pl.DataFrame
    words: pl.DataFrame
    quantities: pl.DataFrame
    entities: pl.DataFrame
    cues: pl.DataFrame
    texts: pl.DataFrame
    first_gold: int
    first_free: int


def cut_texts(sentences: pl.DataFrame, gold_texts: pl.DataFrame) -> Texts:
    """Put sentences and gold texts in a row and cut them into chunks.

    Args:
        sentences: SENTENCES, sentence n in row n.
        gold_texts: GOLD_TEXTS, text n in row n.
    """
    number = pl.col("text_no") + pl.lit(sentences.height, pl.UInt32)
    texts = pl.concat([sentences, gold_texts.select(sentence_id=number, text="text")])
    return Texts(texts, cut_chunks(texts["text"]), sentences.height)


def read_corpus(texts: Texts, wanted: pl.Series) -> Corpus:
    """Read some of the sentences, and the gold texts.

    Args:
        texts: All texts.
        wanted: The ids of the sentences to read, which may repeat.
    """
    is_wanted = flags_at(wanted.to_numpy(), texts.frame.height)
    is_wanted[texts.first_gold :] = True
    kept = texts.frame.filter(is_wanted)
    lexed = read_tokens(texts.chunks.of(is_wanted), kept["sentence_id"])
    tokens = check(lexed.tokens.select(TOKENS.columns), TOKENS, where="read_corpus")
    return Corpus(
        tokens,
        lexed.vocabulary,
        content_words(lexed.vocabulary),
        find_quantities(lexed),
        marked(tokens, lexed.vocabulary.drop_nulls("entity").select("token_id", "kind", "entity")),
        marked(tokens, lexed.vocabulary.filter("is_cue").select("token_id")),
        kept,
        texts.first_gold,
        texts.frame.height,
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
    size = max(ids.max(initial=0), marked_ids.max(initial=0)) + 1
    return pl.Series(flags_at(marked_ids, size)[ids])


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
