"""Raw matches: which candidates contain a claim or overlap with it, by tokens."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from scipy import sparse

from grade.claims.candidates import CLAIM_FIELDS, Candidates
from grade.text.corpus import Corpus
from grade.text.encoding import Ints
from grade.text.sequences import find_sequences
from grade.gold import Gold

_PAIR: Final = ["claim_no", "text_id"]


def match_raw(candidates: Candidates, corpus: Corpus, gold: Gold) -> pl.DataFrame:
    """Find raw matches between candidates and the claims of their task.

    A claim is contained when its tokens stand in a row inside the candidate's; it overlaps when
    the Jaccard similarity of the two token sets is at least 0.5, compared in whole numbers.

    Returns:
        One row per matching pair of claim and distinct text: claim_no, text_id, kind,
        claim_text_id, is_contained, start and length (of the first place where a contained claim
        stands), similarity.
    """
    claims = gold.claims.select(
        "claim_no", "task_no", "kind", claim_text_id=pl.col("text_no") + pl.lit(corpus.first_gold, pl.UInt32)
    )
    token_sets = candidates.tokens.select("text_id", "token_id").unique()
    pairs = _sharing(candidates.places, claims, token_sets)
    sizes = token_sets.group_by("text_id").agg(size=pl.len().cast(pl.Int64))
    sized = pairs.join(sizes, on="text_id", maintain_order="left").join(
        sizes.select(claim_text_id="text_id", claim_size="size"), on="claim_text_id", maintain_order="left"
    )
    union = pl.col("size") + pl.col("claim_size") - pl.col("shared")
    likely = sized.with_columns(
        similarity=pl.col("shared") / union, overlaps=2 * pl.col("shared") >= union
    ).filter(pl.col("overlaps") | (pl.col("shared") == pl.col("claim_size")))
    contained = _contained(likely.filter(pl.col("shared") == pl.col("claim_size")), candidates.tokens)
    matched = likely.join(contained, on=_PAIR, how="left", maintain_order="left").with_columns(
        is_contained=pl.col("start").is_not_null()
    )
    return matched.filter(pl.col("is_contained") | pl.col("overlaps")).select(
        *_PAIR, "kind", "claim_text_id", "is_contained", "start", "length", "similarity"
    )


def _contained(pairs: pl.DataFrame, tokens: pl.DataFrame) -> pl.DataFrame:
    """First place of each claim in each text: claim_no, text_id, start, length."""
    wanted = pairs.select(inner="claim_text_id", outer="text_id").unique()
    ids = pl.concat([wanted.select(text_id="inner"), wanted.select(text_id="outer")]).unique()
    places = find_sequences(tokens.join(ids, on="text_id", how="semi", maintain_order="left"), wanted)
    first = places.group_by("inner", "outer", "length").agg(pl.col("start").min())
    return pairs.join(first, left_on=["claim_text_id", "text_id"], right_on=["inner", "outer"]).select(
        *_PAIR, "start", "length"
    )


def _sharing(places: pl.DataFrame, claims: pl.DataFrame, token_sets: pl.DataFrame) -> pl.DataFrame:
    """Pairs that share a token, with how many they share.

    Texts and claims meet in blocks of one task and kind. With tokens numbered per block, one
    sparse product of texts x tokens and tokens x claims counts what every pair shares.
    """
    block = ["task_no", "kind"]
    fields = pl.DataFrame(
        [(kind, number) for kind, numbers in CLAIM_FIELDS.items() for number in numbers],
        schema={"kind": pl.String, "field_no": pl.UInt8},
        orient="row",
    )
    met = places.select("task_no", "field_no", "text_id").unique().join(fields, on="field_no")
    texts = met.select(*block, "text_id").unique().sort(*block, "text_id").with_row_index("row")
    claim_tokens = claims.join(token_sets, left_on="claim_text_id", right_on="text_id").select(
        *block, "claim_no", "token_id"
    )
    columns = (
        claim_tokens.select(*block, "token_id").unique().sort(*block, "token_id").with_row_index("column")
    )
    left = texts.join(token_sets, on="text_id").join(columns, on=[*block, "token_id"]).select("row", "column")
    right = claim_tokens.join(columns, on=[*block, "token_id"]).select("column", "claim_no")
    counts = _product(left, right, (texts.height, columns.height, claims.height))
    return (
        counts.join(texts.select("row", "text_id"), on="row", maintain_order="left")
        .join(claims.select("claim_no", "kind", "claim_text_id"), on="claim_no", maintain_order="left")
        .select(*_PAIR, "kind", "claim_text_id", "shared")
    )


def _product(left: pl.DataFrame, right: pl.DataFrame, shape: tuple[int, int, int]) -> pl.DataFrame:
    """Count shared columns of the two sides: row, claim_no, shared."""
    rows, columns, claims = shape
    texts = _incidence(left["row"].to_numpy(), left["column"].to_numpy(), (rows, columns))
    wanted = _incidence(right["column"].to_numpy(), right["claim_no"].to_numpy(), (columns, claims))
    shared = (texts @ wanted).tocoo()
    return pl.DataFrame(
        {
            "row": pl.Series(shared.row, dtype=pl.UInt32),
            "claim_no": pl.Series(shared.col, dtype=pl.UInt32),
            "shared": pl.Series(shared.data, dtype=pl.Int64),
        }
    )


def _incidence(rows: Ints, columns: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=shape)
