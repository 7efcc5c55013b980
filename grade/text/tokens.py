"""Tokens of distinct sentences, dictionary-encoded.

A sentence is read as a row of *pieces*, each a token with whatever stands before it, and a last
piece for whatever stands after the last token. Distinct pieces are few, so that everything which
depends on the characters alone is worked out once per distinct piece or token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from grade.text.encoding import Ints, encode
from grade.text.entities import entity, kind
from grade.text.lexicon import CLAUSE_WORDS, DIRECTION_WORDS, DOUBT_WORDS, NEGATION_CUES

Flags = npt.NDArray[np.bool_]

_TOKEN: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:/[0-9]+)+|[\p{L}\p{N}]+(?:[-'._][\p{L}\p{N}]+)*)"
)
_PIECE: Final = rf"[^\p{{L}}\p{{N}}]*{_TOKEN}|[^\p{{L}}\p{{N}}]+$"
_GAP: Final = r"^([^\p{L}\p{N}]*)"
_THOUSANDS: Final = r"^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_NUMBER: Final = r"^[0-9]+(?:\.[0-9]+)?$"
_CLAUSE_END: Final = r"[,;:]\s"


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of a set of distinct sentences.

    Attributes:
        tokens: One row per token: sentence_id, position, token_id, clause, and place, the
            token's row in `stream`. Rows of a sentence are contiguous and in order.
        vocabulary: One row per distinct token, in order of token_id: token_id, token,
            is_number, is_cue, is_doubt, is_direction, entity, kind.
        pieces: One row per distinct piece, row number = piece id: gap, raw (the token as
            written), token, token_id (null for a piece without token).
        stream: Piece id of every piece, sentence after sentence; each sentence closes with a
            piece without token, so that a token's neighbours are of its own sentence.
    """

    tokens: pl.DataFrame
    vocabulary: pl.DataFrame
    pieces: pl.DataFrame
    stream: Ints


def tokenise(sentences: pl.DataFrame) -> Lexed:
    """Cut sentences into tokens.

    Args:
        sentences: sentence_id and text, one row per distinct sentence; the text is clean.
    """
    # The closing line end gives every sentence a last piece without token.
    closed = pl.col("text").str.to_lowercase() + "\n"
    exploded = sentences.select("sentence_id", piece=closed.str.extract_all(_PIECE)).explode("piece")
    distinct, stream = encode(exploded["piece"])
    pieces = distinct.to_frame("piece").select(
        gap=pl.col("piece").str.extract(_GAP), raw=pl.col("piece").str.replace(_GAP, "")
    )
    texts, codes = encode(pieces.select(_normal(pl.col("raw"))).to_series())
    pieces = pieces.with_columns(
        token=texts.gather(pl.Series(codes)),
        token_id=pl.when(pl.col("raw") != "").then(pl.Series(codes, dtype=pl.UInt32)),
    )
    vocabulary = _described(texts)
    return Lexed(_placed(exploded["sentence_id"], stream, pieces), vocabulary, pieces, stream)


def lookup(values: pl.Series, codes: Ints) -> npt.NDArray[np.generic]:
    """Return the value that belongs to each code, as an array."""
    return values.to_numpy()[codes]


def _normal(raw: pl.Expr) -> pl.Expr:
    """Drop thousands commas, a trailing 's and a number's trailing zeros after the dot."""
    whole = (
        pl.when(raw.str.contains(_THOUSANDS)).then(raw.str.replace_all(",", "", literal=True)).otherwise(raw)
    )
    bare = whole.str.strip_suffix("'s")
    short = bare.str.strip_chars_end("0").str.strip_suffix(".")
    return pl.when(bare.str.contains(r"^[0-9]+\.[0-9]+$")).then(short).otherwise(bare)


def _described(texts: pl.Series) -> pl.DataFrame:
    token = pl.col("token")
    return (
        texts.to_frame("token")
        .with_row_index("token_id")
        .with_columns(
            is_number=token.str.contains(_NUMBER),
            is_cue=token.is_in(list(NEGATION_CUES)) | token.str.ends_with("n't"),
            is_doubt=token.is_in(list(DOUBT_WORDS)),
            is_direction=token.is_in(list(DIRECTION_WORDS)),
            entity=entity(token),
        )
        .with_columns(kind=kind(pl.col("entity")))
    )


def _placed(sentence_id: pl.Series, stream: Ints, pieces: pl.DataFrame) -> pl.DataFrame:
    owner = sentence_id.to_numpy()
    is_first = np.empty(len(owner), dtype=np.bool_)
    is_first[:1] = True
    is_first[1:] = owner[1:] != owner[:-1]
    place = np.arange(len(owner))
    position = place - np.maximum.accumulate(np.where(is_first, place, 0))
    opens = pieces.select(
        pl.col("gap").str.contains(_CLAUSE_END) | pl.col("raw").is_in(list(CLAUSE_WORDS))
    ).to_series()
    clause = np.cumsum(lookup(opens, stream).astype(np.bool_) | is_first)
    frame = pl.DataFrame(
        {
            "sentence_id": sentence_id,
            "position": pl.Series(position, dtype=pl.UInt32),
            "token_id": pieces["token_id"].gather(pl.Series(stream)),
            "clause": pl.Series(clause, dtype=pl.UInt32),
            "place": pl.Series(place, dtype=pl.UInt32),
        }
    )
    return frame.drop_nulls("token_id")
