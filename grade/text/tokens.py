"""Tokens of distinct sentences, dictionary-encoded.

Only the distinct chunks are read (see `grade.text.chunks`), which are few. What stands between two
tokens is a *gap*: the end of one chunk, a space and the beginning of the next, or the characters
between two tokens of one chunk. Gaps and tokens are codes from then on, and what depends on their
characters is worked out once each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from grade.text.chunks import Chunks, cut_chunks, with_tokens
from grade.text.cleaning import HAS_TOKEN
from grade.text.encoding import Ints, encode, firsts, flags_of, lookup, places_within
from grade.text.entities import entity, kind
from grade.text.lexicon import CLAUSE_WORDS, DIRECTION_WORDS, DOUBT_WORDS, NEGATION_CUES

_TOKEN: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:/[0-9]+)+|[\p{L}\p{N}]+(?:[-'._][\p{L}\p{N}]+)*)"
)
_PIECE: Final = rf"[^\p{{L}}\p{{N}}]*{_TOKEN}"
_HEAD: Final = r"^([^\p{L}\p{N}]*)"
_TAIL: Final = r"([^\p{L}\p{N}]*)$"
_THOUSANDS: Final = r"^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_NUMBER: Final = r"^[0-9]+(?:\.[0-9]+)?$"
_CLAUSE_END: Final = r"[,;:]\s"


@dataclass(frozen=True, slots=True)
class Stream:
    """All tokens in a row, each sentence closed by a row without token.

    A token's neighbours in the stream are thus of its own sentence.

    Attributes:
        raws: Distinct tokens as written and normal: raw, token, token_id; the one without
            characters closes a sentence.
        heads: Distinct characters that stand before a token in its chunk.
        tails: Distinct characters that stand after the last token of a chunk, with the space
            that follows; the last of them, empty, is for a token that opens its sentence or
            stands behind another one in its chunk.
        raw: For each place, the row of `raws`.
        head: For each place, the row of `heads`.
        tail: For each place, the row of `tails` that stands before the head.
        owner: For each place, the row of its sentence.
    """

    raws: pl.DataFrame
    heads: pl.Series
    tails: pl.Series
    raw: Ints
    head: Ints
    tail: Ints
    owner: Ints

    def gaps(self, places: Ints) -> pl.Series:
        """Return what stands before each of some places, back to the token before."""
        return self.tails.gather(pl.Series(self.tail[places])) + self.heads.gather(
            pl.Series(self.head[places])
        )


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of a set of distinct sentences.

    Attributes:
        tokens: One row per token: sentence_id, position, token_id, clause. Rows of a sentence
            are contiguous and in order; clauses are numbered over all sentences.
        places: For each row of `tokens`, its place in the stream.
        vocabulary: One row per distinct token, in order of token_id: token_id, token,
            is_number, is_cue, is_doubt, is_direction, entity, kind.
        stream: The tokens with what stands between them.
    """

    tokens: pl.DataFrame
    places: Ints
    vocabulary: pl.DataFrame
    stream: Stream


def tokenise(sentences: pl.DataFrame) -> Lexed:
    """Cut sentences into tokens.

    Args:
        sentences: sentence_id and text, one row per distinct sentence; the text is clean.
    """
    return read_tokens(cut_chunks(sentences["text"]), sentences["sentence_id"])


def read_tokens(chunks: Chunks, sentence_id: pl.Series) -> Lexed:
    """Read the tokens of texts that are cut into chunks.

    Args:
        chunks: The chunks of distinct sentences.
        sentence_id: The id of the sentence that text n is.
    """
    stream, vocabulary = _stream(with_tokens(chunks))
    tokens, places = _placed(sentence_id, stream)
    return Lexed(tokens, places, vocabulary, stream)


def _stream(chunks: Chunks) -> tuple[Stream, pl.DataFrame]:
    """Read the distinct chunks and put their tokens in a row; also the vocabulary."""
    pieces, first, count = _pieces(chunks.distinct)
    n_pieces = count[chunks.codes]
    owner = np.repeat(np.arange(len(n_pieces), dtype=np.int32), n_pieces)
    begin = np.cumsum(n_pieces, dtype=np.int32) - n_pieces
    within = np.arange(len(owner), dtype=np.int32) - begin[owner]
    piece = first[chunks.codes][owner] + within
    raws, raw_codes = encode(pieces["raw"])
    heads, head_codes = encode(pieces["head"])
    tails, before = _tails(chunks)
    described, vocabulary = _described(raws)
    tail = np.where(within == 0, before[owner], np.int32(len(tails) - 1))
    return Stream(
        described, heads, tails, raw_codes[piece], head_codes[piece], tail, chunks.owners[owner]
    ), vocabulary


def _pieces(distinct: pl.Series) -> tuple[pl.DataFrame, Ints, Ints]:
    """The tokens of each distinct chunk: head (what stands before), raw; and their first row and number.

    A chunk without token is one row, its characters being the head.
    """
    lists = distinct.to_frame("chunk").with_columns(piece=pl.col("chunk").str.extract_all(_PIECE))
    # A long chunk must not be copied once for each of its tokens.
    lists = lists.with_columns(chunk=pl.when(pl.col("piece").list.len() == 0).then("chunk"))
    rows = lists.explode("piece", empty_as_null=True).select(
        head=pl.coalesce(pl.col("piece").str.extract(_HEAD), "chunk"),
        raw=pl.col("piece").str.replace(_HEAD, "").fill_null(""),
    )
    count = lists["piece"].list.len().to_numpy().astype(np.int32).clip(min=1)
    return rows, np.cumsum(count, dtype=np.int32) - count, count


def _tails(chunks: Chunks) -> tuple[pl.Series, Ints]:
    """Distinct ends of chunks, and for each chunk the end that stands before it."""
    text = pl.col("chunk")
    tail = pl.when(text.str.contains(HAS_TOKEN)).then(text.str.extract(_TAIL)).otherwise(pl.lit(""))
    distinct, codes = encode(chunks.distinct.to_frame("chunk").select(tail).to_series())
    tails = pl.concat([distinct + " ", pl.Series([""], dtype=pl.String)])
    before = np.full(len(chunks.codes), len(distinct), dtype=np.int32)
    before[1:] = codes[chunks.codes[:-1]]
    before[firsts(chunks.owners)] = len(distinct)
    return tails, before


def _described(raws: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The normal token of each raw one, and the vocabulary."""
    normal = raws.to_frame("raw").select(_normal(pl.col("raw"))).to_series()
    texts, codes = encode(normal)
    described = pl.DataFrame({"raw": raws, "token": normal, "token_id": pl.Series(codes, dtype=pl.UInt32)})
    token = pl.col("token")
    vocabulary = (
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
    return described, vocabulary


def _normal(raw: pl.Expr) -> pl.Expr:
    """Drop thousands commas, a trailing 's and a number's trailing zeros after the dot."""
    whole = (
        pl.when(raw.str.contains(_THOUSANDS)).then(raw.str.replace_all(",", "", literal=True)).otherwise(raw)
    )
    bare = whole.str.strip_suffix("'s")
    short = bare.str.strip_chars_end("0").str.strip_suffix(".")
    return pl.when(bare.str.contains(r"^[0-9]+\.[0-9]+$")).then(short).otherwise(bare)


def _placed(sentence_id: pl.Series, stream: Stream) -> tuple[pl.DataFrame, Ints]:
    """Number positions and clauses, and leave the closing rows out of the tokens."""
    position = places_within(stream.owner)
    opens = (
        flags_of(stream.tails.str.contains(_CLAUSE_END), stream.tail)
        | flags_of(stream.heads.str.contains(_CLAUSE_END), stream.head)
        | flags_of(stream.raws["token"].is_in(list(CLAUSE_WORDS)), stream.raw)
    )
    clause = np.cumsum(opens | (position == 0), dtype=np.uint32)
    kept = np.flatnonzero(flags_of(stream.raws["raw"] != "", stream.raw)).astype(np.int32)
    tokens = pl.DataFrame(
        {
            "sentence_id": sentence_id.gather(pl.Series(stream.owner[kept])),
            "position": pl.Series(position[kept].astype(np.uint32)),
            "token_id": pl.Series(lookup(stream.raws["token_id"], stream.raw[kept])),
            "clause": pl.Series(clause[kept]),
        }
    )
    return tokens, kept
