"""Content words: what a text is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from grade.text.lexicon import GENERIC_WORDS, MONTHS, STOP_WORDS

_EMPTY: Final = list(STOP_WORDS | GENERIC_WORDS)
_SHORT: Final = 3
_MONTH_WORDS: Final = {name: code for name, code in MONTHS.items() if name != "may"}


def content_words(tokens: pl.DataFrame) -> pl.DataFrame:
    """Return the content words of distinct tokens.

    Args:
        tokens: token_id and token, one row per distinct token.

    Returns:
        token_id and word, one row per distinct pair. A word has at least three characters, is
        not all digits, and is neither a stop word nor a word of measuring, with or without its
        final s, which it loses when it is longer than three characters. Months count under
        their three-letter code.
    """
    part = pl.col("part")
    singular = (
        pl.when((part.str.len_chars() > _SHORT) & part.str.ends_with("s"))
        .then(part.str.head(-1))
        .otherwise(part)
    )
    parts = (
        tokens.select("token_id", part=pl.col("token").str.replace_all("[-./_]", " ").str.split(" "))
        .explode("part")
        .filter((part.str.len_chars() >= _SHORT) & ~part.str.contains("^[0-9]+$"))
        .with_columns(word=singular)
    )
    kept = parts.filter(~part.is_in(_EMPTY) & ~pl.col("word").is_in(_EMPTY))
    return kept.select(
        "token_id", word=part.replace_strict(_MONTH_WORDS, default=pl.col("word"), return_dtype=pl.String)
    ).unique()


def holds_word(token: pl.Expr, wanted: Iterable[str]) -> pl.Expr:
    """Whether a token, or a part of it between "-", "." and "/", is one of the words wanted.

    >>> tokens = pl.Series(["rates", "pass-rate", "pass_rate", "rated"])
    >>> tokens.to_frame("token").select(holds_word(pl.col("token"), ["rate", "rates"])).to_series().to_list()
    [True, True, False, False]
    """
    words = pl.Series(sorted(wanted)).implode()
    parts = token.str.replace_all("[-./]", " ").str.split(" ")
    return token.is_in(words) | parts.list.set_intersection(words).list.len().gt(0)
