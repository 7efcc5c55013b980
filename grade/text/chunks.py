"""Chunks: what stands between spaces, in lower case, dictionary-encoded.

No token spans a space, so what depends on tokens alone is worked out once per distinct chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from grade.text.cleaning import HAS_TOKEN
from grade.text.encoding import (
    Flags,
    Ints,
    bytes_of,
    encode,
    encode_pieces,
    firsts,
    flags_at,
    flags_of,
)

_SPACE: Final = ord(" ")


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
    data, stops = bytes_of(texts + "  ")
    ends = np.flatnonzero(data == _SPACE) + 1
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), np.diff(ends.searchsorted(stops, "right")))
    # A chunk is taken with the space that ends it, so that no byte need be copied.
    written, written_codes = encode_pieces(data, ends)
    distinct, codes = encode(written.str.strip_suffix(" ").str.to_lowercase())
    return Chunks(distinct, codes[written_codes], owners)


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
