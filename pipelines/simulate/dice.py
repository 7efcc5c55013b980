"""Chances that depend on nothing but the seed and what they decide."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


class Dice:
    """Random decisions of one run, each by its own name.

    Args:
        seed: Seed of the simulation.
        run: What tells the run from all others.
    """

    def __init__(self, seed: int, run: str) -> None:
        self._seed = seed
        self._run = run

    def roll(self, name: str) -> float:
        """Return a number in [0, 1) that belongs to a name."""
        return float(self._generator(name).random())

    def happens(self, name: str, chance: float) -> bool:
        """Return whether something of that chance happens."""
        return self.roll(name) < chance

    def choose(self, name: str, items: Sequence[Item]) -> Item:
        """Return one of several items."""
        return items[int(self.roll(name) * len(items))]

    def shuffle(self, name: str, items: Sequence[Item]) -> list[Item]:
        """Return the items in another order, which differs from theirs if there are two or more."""
        order = np.argsort(self._generator(name).random(len(items)), kind="stable")
        if len(items) > 1 and bool((order == np.arange(len(items))).all()):
            order = np.roll(order, 1)
        return [items[place] for place in order]

    def _generator(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self._seed, zlib.crc32(f"{self._run} {name}".encode())])
