"""Facts without a number: an identifier named in text, or a sentence of the same words."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.gold import Gold
from grade.text.corpus import Corpus, among, sentence_words
from grade.text.entities import MONTH_KIND
from grade.text.nearest import last_before
from grade.text.sequences import find_sequences

_PAIR: Final = ["sentence_id", "fact_no"]
_CUE_REACH: Final = 5
_LAST_FIELD: Final = 2


def match_wording(corpus: Corpus, spans: pl.DataFrame, gold: Gold, claim_words: pl.DataFrame) -> pl.DataFrame:
    """Find the first sentence of each run that states each fact of mode string or words.

    Args:
        corpus: The texts.
        spans: SPANS with task_no.
        gold: The catalogue.
        claim_words: fact_no and word, the content words of each fact's claim.

    Returns:
        One row per run and fact: run_id, fact_no, field_no, sentence_id, method.
    """
    facts = gold.facts.filter(pl.col("mode").is_in(["string", "words"]))
    met = spans.filter(pl.col("field_no") <= _LAST_FIELD).join(
        facts.select("task_no").unique(), on="task_no", how="semi"
    )
    pairs = met.select("task_no", "sentence_id").unique().join(facts, on="task_no")
    by_mode = {mode: pairs.filter(pl.col("mode") == mode) for mode in ("string", "words")}
    stating = pl.concat(
        [
            _naming(by_mode["string"], corpus).with_columns(method=pl.lit("string_value")),
            _worded(by_mode["words"], corpus, claim_words).with_columns(method=pl.lit("words")),
        ]
    ).join(facts.select("fact_no", "task_no"), on="fact_no")
    place = ["field_no", "entry_no", "sentence_no"]
    return (
        met.join(stating, on=["sentence_id", "task_no"])
        .sort("run_id", "fact_no", *place)
        .unique(["run_id", "fact_no"], keep="first", maintain_order=True)
        .select("run_id", "fact_no", "field_no", "sentence_id", "method")
    )


def _naming(pairs: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Sentences that hold the fact's string, no negation cue within the five tokens before."""
    named = pairs.select(
        "fact_no",
        outer="sentence_id",
        inner=pl.col("string_text_no") + pl.lit(corpus.first_gold, pl.UInt32),
    )
    named = named.filter(pl.col("outer").is_in(_holding_first_token(corpus, named["inner"]).implode()))
    tokens = corpus.tokens.select("token_id", text_id="sentence_id")
    needles = pl.concat([named.select(text_id="outer"), named.select(text_id="inner")]).unique()
    kept = tokens.join(needles, on="text_id", how="semi", maintain_order="left")
    places = find_sequences(kept, named.select("inner", "outer").unique()).join(named, on=["inner", "outer"])
    found = places.select("fact_no", sentence_id="outer", position=pl.col("start").cast(pl.UInt32))
    placed = last_before(found, corpus.cues.select("sentence_id", "position"), by=["sentence_id"])
    is_denied = (pl.col("position") - pl.col("at") <= _CUE_REACH).fill_null(value=False)
    return placed.filter(~is_denied).select(_PAIR).unique()


def _holding_first_token(corpus: Corpus, inner: pl.Series) -> pl.Series:
    """Sentences that hold the first token of some text: only these can hold the whole."""
    first = corpus.tokens.filter(
        (pl.col("position") == 0) & pl.col("sentence_id").is_in(inner.unique().implode())
    )
    return corpus.tokens.filter(among(corpus.tokens["token_id"], first["token_id"]))["sentence_id"].unique()


def _worded(pairs: pl.DataFrame, corpus: Corpus, claim_words: pl.DataFrame) -> pl.DataFrame:
    """Sentences with half of the claim's content words, all its identifiers and its polarity."""
    words = sentence_words(corpus, pairs.select("sentence_id").unique(), claim_words["word"])
    wanted = claim_words.group_by("fact_no").agg(n_wanted=pl.len())
    shared = (
        words.join(claim_words, on="word")
        .join(pairs.select(_PAIR), on=_PAIR, how="semi")
        .group_by(_PAIR)
        .agg(n_shared=pl.len())
        .join(wanted, on="fact_no")
        .filter(2 * pl.col("n_shared") >= pl.col("n_wanted"))
    )
    alike = shared.join(pairs, on=_PAIR).filter(
        pl.col("has_cue") == pl.col("sentence_id").is_in(corpus.cues["sentence_id"].unique().implode())
    )
    return alike.join(_missing_identifiers(alike, corpus), on=_PAIR, how="anti").select(_PAIR)


def _missing_identifiers(pairs: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    identifiers = (
        corpus.entities.filter(pl.col("kind") != MONTH_KIND).select("sentence_id", "entity").unique()
    )
    wanted = pairs.select(*_PAIR, claim=pl.col("text_no") + pl.lit(corpus.first_gold, pl.UInt32)).join(
        identifiers, left_on="claim", right_on="sentence_id"
    )
    return wanted.join(identifiers, on=["sentence_id", "entity"], how="anti").select(_PAIR).unique()
