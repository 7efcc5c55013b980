"""Chunks: what stands between spaces, in lower case, dictionary-encoded.

No token spans a space, so what depends on tokens alone is worked out once per distinct chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from grade.text.cleaning import HAS_TOKEN
from grade.text.encoding import Flags, Ints, encode, firsts, flags_at, flags_of


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of some texts in a row.

    Attributes:
        distinct: The distinct chunks.
        codes: For each chunk, its place among these.
        owners: For each chunk, the text that it is of, by its place.
    """

    distinct: pl.Series
    codes: Ints
    owners: Ints

    def of(self, is_wanted: Flags) -> Chunks:
        """Return the chunks of some of the texts, which are numbered anew."""
        kept = is_wanted[self.owners]
        codes = self.codes[kept]
        is_used = flags_at(codes, len(self.distinct))
        place = np.cumsum(is_used, dtype=np.int32) - 1
        number = np.cumsum(is_wanted, dtype=np.int32) - 1
        return Chunks(self.distinct.filter(pl.Series(is_used)), place[codes], number[self.owners[kept]])


def cut_chunks(texts: pl.Series) -> Chunks:
    """Split texts at spaces; each ends with a chunk without token."""
    parts = (texts.str.to_lowercase() + " ").str.split(" ")
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), parts.list.len().to_numpy())
    distinct, codes = encode(parts.explode(empty_as_null=False))
    return Chunks(distinct, codes, owners)


def with_tokens(chunks: Chunks) -> Chunks:
    """Join chunks without token to the chunk that follows; only a text's last stays without."""
    has_token = flags_of(chunks.distinct.str.contains(HAS_TOKEN), chunks.codes)
    starts = firsts(chunks.owners)
    starts[1:] |= has_token[:-1]
    first = np.flatnonzero(starts)
    size = np.diff(first, append=len(starts))
    codes = chunks.codes[first]
    is_long = size > 1
    members = np.flatnonzero(np.repeat(is_long, size))
    merged = (
        pl.DataFrame(
            {
                "group": np.repeat(np.flatnonzero(is_long), size[is_long]),
                "chunk": chunks.distinct.gather(pl.Series(chunks.codes[members])),
            }
        )
        .group_by("group", maintain_order=True)
        .agg(pl.col("chunk").str.join(" "))
    )
    longer, longer_codes = encode(merged["chunk"])
    codes[is_long] = len(chunks.distinct) + longer_codes
    return Chunks(pl.concat([chunks.distinct, longer]), codes, chunks.owners[first])
