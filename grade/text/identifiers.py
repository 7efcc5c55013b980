"""The identifiers that texts name, without reading the texts any further."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.text.cleaning import clean
from grade.text.encoding import encode
from grade.text.entities import MONTH_KIND, entity, kind

_WORD: Final = (
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:/[0-9]+)+|[\p{L}\p{N}]+(?:[-'._][\p{L}\p{N}]+)*"
)


def find_identifiers(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the distinct identifiers of texts, in lower case.

    Args:
        texts: text_no, unique, and text.

    Returns:
        text_no and identifier, sorted.

    Examples:
        >>> texts = pl.DataFrame({"text_no": [7], "text": ["SCH-001's and Oct-2025, TUT‑005."]})
        >>> find_identifiers(texts).rows()
        [(7, 'sch-001'), (7, 'tut-005')]
    """
    given = texts.drop_nulls("text")
    distinct, codes = encode(given["text"])
    tokens = clean(pl.col("text")).str.to_lowercase().str.extract_all(_WORD)
    named = distinct.to_frame("text").with_row_index("code").select("code", token=tokens)
    identifier = entity(pl.col("token").str.replace("'s$", ""))
    found = (
        named.explode("token")
        .drop_nulls("token")
        .select("code", identifier=identifier)
        .filter(kind(pl.col("identifier")) != MONTH_KIND)
        .unique()
    )
    return (
        given.select("text_no", code=pl.Series(codes, dtype=pl.UInt32))
        .join(found, on="code")
        .select("text_no", "identifier")
        .sort("text_no", "identifier")
    )
