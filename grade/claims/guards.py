"""Guards: why a raw match does not settle a claim.

Each guard is a rule of the method, worked out on the few distinct pairs of claim and text that
match. The first that holds is the pair's reason.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.claims.candidates import Candidates
from grade.text.corpus import Corpus

REASONS: Final = ("negation", "polarity", "numbers", "entities", "direction")
"""The guards, in the order in which they are tried."""

_PAIR: Final = ["claim_no", "text_id"]
_CUE_REACH: Final = 6


def guard(matches: pl.DataFrame, candidates: Candidates, corpus: Corpus) -> pl.DataFrame:
    """Add `reason` to raw matches: the first guard that holds, null for a conclusive match.

    Args:
        matches: From `grade.claims.overlaps.match_raw`.
        candidates: The texts.
        corpus: Their vocabulary.
    """
    features = _features(matches, candidates, corpus)
    contained = matches.filter("is_contained")
    overlapping = matches.filter(~pl.col("is_contained"))
    caught = [
        _negation(contained, features),
        _polarity(overlapping, features),
        _numbers(overlapping, features),
        _entities(overlapping, features),
        _direction(overlapping, features),
    ]
    reasons = pl.concat(
        [pairs.select(_PAIR).unique().with_columns(rank=pl.lit(rank)) for rank, pairs in enumerate(caught)]
    )
    first = reasons.group_by(_PAIR).agg(pl.col("rank").min())
    names = dict(enumerate(REASONS))
    return (
        matches.join(first, on=_PAIR, how="left", maintain_order="left")
        .with_columns(reason=pl.col("rank").replace_strict(names, default=None, return_dtype=pl.String))
        .drop("rank")
    )


def _features(matches: pl.DataFrame, candidates: Candidates, corpus: Corpus) -> pl.DataFrame:
    """The tokens that guards look at, with their marks, of all texts among the matches."""
    ids = pl.concat([matches.select("text_id"), matches.select(text_id="claim_text_id")]).unique()
    telling = corpus.vocabulary.filter(
        pl.any_horizontal("is_number", "is_cue", "is_doubt", "is_direction", pl.col("entity").is_not_null())
    )
    return candidates.tokens.join(ids, on="text_id", how="semi", maintain_order="left").join(
        telling, on="token_id", maintain_order="left"
    )


def _of_claim(features: pl.DataFrame) -> pl.DataFrame:
    return features.rename({"text_id": "claim_text_id"})


def _having(matches: pl.DataFrame, features: pl.DataFrame, mark: str, *, of: str) -> pl.DataFrame:
    """The matches whose text, or claim, has a token with the mark."""
    texts = features.filter(mark).select(pl.col("text_id").alias(of)).unique()
    return matches.join(texts, on=of, how="semi")


def _negation(contained: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Something denies a contained claim: anywhere around a forbidden one, just before another one."""
    marks = contained.join(features.select("text_id", "position", "is_cue", "is_doubt"), on="text_id")
    at, start = pl.col("position").cast(pl.Int64), pl.col("start")
    outside = (at < start) | (at >= start + pl.col("length"))
    around_forbidden = (pl.col("kind") == "forbidden") & (pl.col("is_cue") | pl.col("is_doubt")) & outside
    before = (pl.col("kind") != "forbidden") & pl.col("is_cue") & (start - at).is_between(1, _CUE_REACH)
    return marks.filter(around_forbidden | before)


def _polarity(overlapping: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """One text denies and the other does not, or the text doubts what a forbidden claim asserts."""
    text_cue = _having(overlapping, features, "is_cue", of="text_id").select(_PAIR)
    claim_cue = _having(overlapping, features, "is_cue", of="claim_text_id").select(_PAIR)
    differing = pl.concat(
        [text_cue.join(claim_cue, on=_PAIR, how="anti"), claim_cue.join(text_cue, on=_PAIR, how="anti")]
    )
    doubts = features.filter("is_doubt").select("text_id", "token_id")
    doubting = (
        overlapping.filter(pl.col("kind") == "forbidden")
        .join(doubts, on="text_id")
        .join(_of_claim(doubts), on=["claim_text_id", "token_id"], how="anti")
        .select(_PAIR)
    )
    return pl.concat([differing, doubting])


def _numbers(overlapping: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Both have numbers: a forbidden claim needs all of its own, another one at least one."""
    both = _having(
        _having(overlapping, features, "is_number", of="text_id"), features, "is_number", of="claim_text_id"
    )
    numbers = features.filter("is_number").select("text_id", "token_id").unique()
    wanted = both.join(_of_claim(numbers), on="claim_text_id")
    met = wanted.join(numbers, on=["text_id", "token_id"], how="semi").group_by(_PAIR).agg(n_met=pl.len())
    counted = wanted.group_by(*_PAIR, "kind").agg(n_wanted=pl.len()).join(met, on=_PAIR, how="left")
    n_met = pl.col("n_met").fill_null(0)
    missing = pl.when(pl.col("kind") == "forbidden").then(n_met < pl.col("n_wanted")).otherwise(n_met == 0)
    return counted.filter(missing)


def _entities(overlapping: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Of some kind that both name, one is missing, or they changed places and the numbers did not."""
    named = (
        _first_places(features.drop_nulls("entity"), "entity")
        .with_columns(named_kind=pl.col("kind"))
        .drop("kind")
    )
    kinds = named.select("text_id", "named_kind").unique()
    wanted = overlapping.join(_of_claim(named), on="claim_text_id").join(
        kinds, on=["text_id", "named_kind"], how="semi"
    )
    there = wanted.join(named.rename({"at": "text_at"}), on=["text_id", "named_kind", "entity"], how="left")
    missing = there.filter(pl.col("text_at").is_null()).select(_PAIR)
    moved = _reordered(there, [*_PAIR, "named_kind"]).select(_PAIR).unique()
    numbers = _first_places(features.filter("is_number"), "token").drop("kind")
    shared = overlapping.join(_of_claim(numbers), on="claim_text_id").join(
        numbers.rename({"at": "text_at"}), on=["text_id", "token"]
    )
    numbers_moved = _reordered(shared, _PAIR).select(_PAIR).unique()
    return pl.concat([missing, moved.join(numbers_moved, on=_PAIR, how="anti")])


def _first_places(features: pl.DataFrame, name: str) -> pl.DataFrame:
    """First position of each name in each text: text_id, kind, name, at."""
    return features.group_by("text_id", "kind", name).agg(at=pl.col("position").min().cast(pl.Int64))


def _reordered(places: pl.DataFrame, group: list[str]) -> pl.DataFrame:
    """Groups whose names do not come in one order in both texts (at, text_at)."""
    step = pl.col("text_at").diff().over(group)
    return places.drop_nulls("text_at").sort(*group, "at").filter(step < 0).select(group).unique()


def _direction(overlapping: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Both say which way, and no direction word is common."""
    both = _having(
        _having(overlapping, features, "is_direction", of="text_id"),
        features,
        "is_direction",
        of="claim_text_id",
    )
    words = features.filter("is_direction").select("text_id", "token_id")
    agreeing = both.join(_of_claim(words), on="claim_text_id").join(
        words, on=["text_id", "token_id"], how="semi"
    )
    return both.join(agreeing.select(_PAIR).unique(), on=_PAIR, how="anti")
