"""Which facts a metric's key speaks of.

A key speaks of a fact when it names the fact, is one of the fact's declared metrics, or shares a
content word with the claim; not when it names another entity of a kind that the fact has.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.gold import Gold
from grade.text.corpus import marked
from grade.text.encoding import encode
from grade.text.keys import key_text
from grade.text.lexicon import RATE_KEY_WORDS
from grade.text.tokens import Lexed, tokenise
from grade.text.words import content_words, holds_word

_KEY: Final = ["key_id", "fact_no"]


def bind_keys(leaves: pl.DataFrame, gold: Gold, claim_words: pl.DataFrame) -> pl.DataFrame:
    """Bind metric keys to facts.

    Args:
        leaves: task_no and key, at least.
        gold: The catalogue.
        claim_words: fact_no and word, the content words of each fact's claim.

    Returns:
        One row per task, key and fact that speak of each other: task_no, key, fact_no,
        is_declared (the key is one of the fact's declared metrics), is_vetoed (it names another
        entity), says_rate (it holds a rate word, pct or gap).
    """
    pairs = leaves.select("task_no", "key").unique().sort("task_no", "key")
    keys, codes = encode(pairs["key"])
    lexed = tokenise(
        keys.to_frame("key").select(
            sentence_id=pl.int_range(pl.len(), dtype=pl.UInt32), text=key_text(pl.col("key"))
        )
    )
    placed = pairs.with_columns(key_id=pl.Series(codes, dtype=pl.UInt32)).join(gold.facts, on="task_no")
    found = pl.concat([_named(placed, lexed, gold), _declared(placed), _sharing(placed, lexed, claim_words)])
    bound = found.group_by(_KEY).agg(pl.col("is_declared").any())
    vetoed = _vetoed(bound, lexed, gold).with_columns(is_vetoed=True)
    rated = _spellings(lexed).select("key_id", "says_rate")
    return (
        placed.join(bound, on=_KEY, maintain_order="left")
        .join(vetoed, on=_KEY, how="left", maintain_order="left")
        .join(rated, on="key_id", how="left", maintain_order="left")
        .select(
            "task_no",
            "key",
            "fact_no",
            "is_declared",
            pl.col("is_vetoed", "says_rate").fill_null(value=False),
        )
    )


def _spellings(lexed: Lexed) -> pl.DataFrame:
    """Per text: key_id, its words with a space on either side, and whether one of them says rate."""
    vocabulary = lexed.vocabulary.select(
        "token_id", "token", says_rate=holds_word(pl.col("token"), RATE_KEY_WORDS)
    )
    return (
        lexed.tokens.join(vocabulary, on="token_id", maintain_order="left")
        .group_by(key_id="sentence_id", maintain_order=True)
        .agg(pl.col("token").str.join(" "), pl.col("says_rate").any())
        .select("key_id", "says_rate", words=pl.concat_str(pl.lit(" "), "token", pl.lit(" ")))
    )


def _within_path(name: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Whether `name` is a segment of `key`, or several in a row, whatever the case."""
    dotted = [pl.concat_str(pl.lit("."), text.str.to_lowercase(), pl.lit(".")) for text in (key, name)]
    return dotted[0].str.contains(dotted[1], literal=True)


def _named(placed: pl.DataFrame, lexed: Lexed, gold: Gold) -> pl.DataFrame:
    """Keys that hold a fact's id, as a segment or as words."""
    ids = gold.facts.select(sentence_id="fact_no", text=key_text(pl.col("fact_id")))
    id_words = _spellings(tokenise(ids)).select(fact_no="key_id", id_words="words")
    named = placed.join(_spellings(lexed), on="key_id", how="left", maintain_order="left").join(
        id_words, on="fact_no", how="left", maintain_order="left"
    )
    as_words = pl.col("words").str.contains(pl.col("id_words"), literal=True).fill_null(value=False)
    return named.filter(as_words | _within_path(pl.col("fact_id"), pl.col("key"))).select(
        *_KEY, is_declared=False
    )


def _declared(placed: pl.DataFrame) -> pl.DataFrame:
    names = placed.select(*_KEY, "key", "metric_keys").explode("metric_keys").drop_nulls("metric_keys")
    return names.filter(_within_path(pl.col("metric_keys"), pl.col("key"))).select(*_KEY, is_declared=True)


def _sharing(placed: pl.DataFrame, lexed: Lexed, claim_words: pl.DataFrame) -> pl.DataFrame:
    words = (
        lexed.tokens.select("token_id", key_id="sentence_id")
        .join(content_words(lexed.vocabulary), on="token_id")
        .select("key_id", "word")
        .unique()
    )
    shared = words.join(claim_words, on="word").select(_KEY).unique()
    return placed.join(shared, on=_KEY, how="semi").select(*_KEY, is_declared=False)


def _vetoed(bound: pl.DataFrame, lexed: Lexed, gold: Gold) -> pl.DataFrame:
    """Pairs where the key names an entity of a kind that the fact has, but none of the fact's own."""
    named = marked(lexed.tokens, lexed.vocabulary.drop_nulls("entity").select("token_id", "kind", "entity"))
    own = gold.sought_entities.join(gold.sought, on="sought_no").select("fact_no", "kind", own="entity")
    met = bound.join(named.rename({"sentence_id": "key_id"}), on="key_id").join(own, on=["fact_no", "kind"])
    agreed = met.group_by(*_KEY, "kind").agg(agrees=(pl.col("entity") == pl.col("own")).any())
    return agreed.filter(~pl.col("agrees")).select(_KEY).unique()
