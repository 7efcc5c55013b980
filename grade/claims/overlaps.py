"""Raw matches: which candidates contain a claim or overlap with it, by tokens."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from grade.claims.candidates import Candidates
from grade.gold import Gold
from grade.text.corpus import Corpus
from grade.text.encoding import Ints
from grade.text.incidence import incidence, token_rows
from grade.text.sequences import find_sequences

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
    likely = _likely(candidates, claims, corpus)
    sizes = _set_sizes(candidates.tokens, pl.concat([likely["text_id"], claims["claim_text_id"]]))
    union = pl.col("size") + pl.col("claim_size") - pl.col("shared")
    sized = (
        likely.join(sizes, on="text_id", maintain_order="left")
        .join(
            sizes.select(claim_text_id="text_id", claim_size="size"),
            on="claim_text_id",
            maintain_order="left",
        )
        .with_columns(similarity=pl.col("shared") / union, overlaps=2 * pl.col("shared") >= union)
    )
    holding = sized.filter(pl.col("shared") == pl.col("claim_size"))
    contained = _contained(holding, candidates.tokens)
    matched = sized.join(contained, on=_PAIR, how="left", maintain_order="left").with_columns(
        is_contained=pl.col("start").is_not_null()
    )
    return matched.filter(pl.col("is_contained") | pl.col("overlaps")).select(
        *_PAIR, "kind", "claim_text_id", "is_contained", "start", "length", "similarity"
    )


def _contained(pairs: pl.DataFrame, tokens: pl.DataFrame) -> pl.DataFrame:
    """First place of each claim in each text: claim_no, text_id, start, length."""
    wanted = pairs.select(inner="claim_text_id", outer="text_id").unique()
    ids = pl.concat([wanted["inner"], wanted["outer"]]).unique()
    places = find_sequences(tokens.filter(pl.col("text_id").is_in(ids.implode())), wanted)
    first = places.group_by("inner", "outer", "length").agg(pl.col("start").min())
    return pairs.join(first, left_on=["claim_text_id", "text_id"], right_on=["inner", "outer"]).select(
        *_PAIR, "start", "length"
    )


def _set_sizes(tokens: pl.DataFrame, text_ids: pl.Series) -> pl.DataFrame:
    """Number of distinct tokens of some texts: text_id, size."""
    kept = tokens.filter(pl.col("text_id").is_in(text_ids.unique().implode()))
    return kept.group_by("text_id").agg(size=pl.col("token_id").n_unique().cast(pl.Int64))


def _likely(candidates: Candidates, claims: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Pairs that share at least half of the claim's tokens, with how many they share.

    No other pair can match: Jaccard >= 0.5 means 3 x shared >= claim + text, and the text has at
    least the shared tokens. A token counts as another one in another task, so that one sparse
    product of texts x tokens and tokens x claims compares within tasks only.
    """
    texts = candidates.places.select("task_no", "text_id").unique().with_row_index("row")
    wanted = _wanted_tokens(claims, candidates.tokens)
    columns = (
        wanted.select("task_no", "token_id").unique().sort("task_no", "token_id").with_row_index("column")
    )
    n_tasks = 1 + max(frame["task_no"].to_numpy().max(initial=0) for frame in (claims, texts))
    table = np.full((n_tasks, corpus.vocabulary.height), -1, dtype=np.int32)
    table[columns["task_no"].to_numpy(), columns["token_id"].to_numpy()] = columns["column"].to_numpy()
    row, token = token_rows(texts["text_id"], candidates.tokens["text_id"], candidates.tokens["token_id"])
    column = table[texts["task_no"].to_numpy()[row], token]
    met = column >= 0
    left = incidence(row[met], column[met], (texts.height, columns.height))
    placed = wanted.join(columns, on=["task_no", "token_id"])
    right = incidence(
        placed["column"].to_numpy(), placed["claim_no"].to_numpy(), (columns.height, claims.height)
    )
    shared = (left @ right).tocoo()
    half = np.asarray(right.sum(axis=0)).ravel()
    kept = 2 * shared.data >= half[shared.col]
    return _told(shared.row[kept], shared.col[kept], shared.data[kept], texts, claims)


def _told(row: Ints, claim_no: Ints, shared: Ints, texts: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Pairs by their names: claim_no, text_id, kind, claim_text_id, shared."""
    pairs = pl.DataFrame(
        {"row": row, "claim_no": claim_no, "shared": shared},
        schema_overrides={"row": pl.UInt32, "claim_no": pl.UInt32, "shared": pl.Int64},
    )
    return (
        pairs.join(texts.select("row", "text_id"), on="row", maintain_order="left")
        .join(claims.select("claim_no", "kind", "claim_text_id"), on="claim_no", maintain_order="left")
        .select(*_PAIR, "kind", "claim_text_id", "shared")
    )


def _wanted_tokens(claims: pl.DataFrame, tokens: pl.DataFrame) -> pl.DataFrame:
    """The distinct tokens of each claim: task_no, claim_no, token_id."""
    texts = claims.select("task_no", "claim_no", text_id="claim_text_id")
    kept = tokens.filter(pl.col("text_id").is_in(texts["text_id"].unique().implode()))
    return texts.join(kept, on="text_id").select("task_no", "claim_no", "token_id").unique()
