"""What stands around some tokens: the ones before and after, and what is between them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
import polars as pl

from grade.text.encoding import Flags, Ints, encode, flags_of
from grade.text.tokens import Stream

_STEPS: Final = (-2, -1, 0, 1, 2, 3, 4)
_GAP_STEPS: Final = (-1, 0, 1, 2, 3)


class Neighbours:
    """What stands around some places of a stream: a step of 1 is the next token, -1 the one before.

    Steps past the closing row of a sentence are meaningless, and so are steps before its first
    token: callers look at the position, or have seen a token in between.
    """

    def __init__(self, stream: Stream, at: Ints) -> None:
        self.raws = stream.raws
        last = len(stream.raw) - 1
        places = {step: np.clip(at + np.int32(step), 0, last) for step in _STEPS}
        self._raw = {step: stream.raw[there] for step, there in places.items()}
        self._gaps = {step: encode(stream.gaps(places[step])) for step in _GAP_STEPS}

    def tokens(self, step: int) -> Ints:
        """Codes of the tokens `step` away."""
        codes: Ints = self._raw[step]
        return codes

    def gap(self, pattern: str, step: int) -> Flags:
        """Whether what stands before the token `step` away matches."""
        distinct, codes = self._gaps[step]
        return flags_of(distinct.str.contains(pattern), codes)

    def token_in(self, words: Collection[str], step: int) -> Flags:
        """Whether the token `step` away is one of `words`."""
        return flags_of(self.raws["token"].is_in(list(words)), self._raw[step])

    def token(self, pattern: str, step: int) -> Flags:
        """Whether the token `step` away matches."""
        return flags_of(self.raws["token"].str.contains(pattern), self._raw[step])

    def raw(self, pattern: str, step: int) -> Flags:
        """Whether the token `step` away, as written, matches."""
        return flags_of(self.raws["raw"].str.contains(pattern), self._raw[step])

    def written(self, step: int, rows: Ints) -> pl.Series:
        """The token `step` away from some of the places, as written."""
        return self.raws["raw"].gather(pl.Series(self._raw[step][rows]))

    def between(self, step: int, rows: Ints) -> pl.Series:
        """What stands before the token `step` away from some of the places."""
        distinct, codes = self._gaps[step]
        return distinct.gather(pl.Series(codes[rows]))
