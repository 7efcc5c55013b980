"""Random numbers that stay the same on every machine and for every later change.

Each table draws from streams of its own, named after what is drawn, so that a new column never
moves the others. Only uniform doubles are taken from numpy, whose bit stream is fixed for PCG64;
everything else is plain arithmetic on them.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Draws:
    """Named random streams of one seed.

    Args:
        seed: The seed of the whole build.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def uniform(self, name: str, size: int) -> Floats:
        """Return `size` numbers in [0, 1) from the stream `name`."""
        return self._generator(name).random(size)

    def bell(self, name: str, size: int) -> Floats:
        """Return `size` numbers with mean 0 and variance 1: sums of twelve uniforms less six."""
        sums: Floats = self._generator(name).random((12, size)).sum(axis=0)
        return sums - 6.0

    def ranks(self, name: str, size: int) -> Ints:
        """Return a random order of 0 to `size` - 1."""
        return np.argsort(np.argsort(self.uniform(name, size), kind="stable"), kind="stable")

    def _generator(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])


def pick(draws: Floats, shares: dict[str, float]) -> list[str]:
    """Return one key of `shares` for each draw, each with its share of the probability."""
    edges = np.cumsum(np.fromiter(shares.values(), dtype=np.float64))
    names = np.array(list(shares))
    return list(names[np.minimum(np.searchsorted(edges, draws, side="right"), len(names) - 1)])
