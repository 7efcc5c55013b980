"""Ceilings on calls and cost: nothing is asked that could go beyond them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Condition
from typing import Any, Final

from grade.errors import SettingsError

_MILLION: Final = 1_000_000
_USUAL_REPLY: Final = 4_000
_MARGIN: Final = 4 / 3


@dataclass(frozen=True, slots=True)
class Prices:
    """What tokens cost, in USD per million; None is unknown."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return what tokens cost; None when a price or a count is unknown."""
        if None in (self.prompt, self.completion, prompt_tokens, completion_tokens):
            return None
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / _MILLION  # type: ignore[operator]


class Budget:
    """How many calls and how much money are left, for all threads together.

    Args:
        max_calls: Requests that may be sent; None is no ceiling.
        max_usd: What they may cost; None is no ceiling.
        prices: What tokens cost.
        parameters: The judge's parameters, for the longest reply that may come.

    Raises:
        SettingsError: There is a ceiling on cost, but no price to hold it by.
    """

    def __init__(
        self, max_calls: int | None, max_usd: float | None, prices: Prices, parameters: Mapping[str, Any]
    ) -> None:
        if max_usd is not None and None in (prices.prompt, prices.completion):
            raise SettingsError(
                "a ceiling on cost needs prices",
                got=f"--max-usd {max_usd:g}",
                hint="add --price-in and --price-out, in USD per million tokens",
            )
        self.prices = prices
        self.n_calls = 0
        self.usd = 0.0
        self._max_calls = math.inf if max_calls is None else max_calls
        self._max_usd = math.inf if max_usd is None else max_usd
        self._longest = next(
            (value for key in _LENGTHS if isinstance(value := parameters.get(key), int)), _USUAL_REPLY
        )
        self._reserved = 0.0
        self._turn = Condition()

    def reserve(self, estimated_tokens: int) -> float | None:
        """Set aside one call and the most that it may cost; `settle` gives back what is left.

        Waits for calls under way when only what is set aside for them stands in the way.

        Returns:
            What was set aside, or None when the call would go beyond a ceiling.
        """
        most = self.prices.cost(math.ceil(estimated_tokens * _MARGIN), self._longest) or 0.0
        with self._turn:
            while self.n_calls < self._max_calls and self.usd + most <= self._max_usd:
                if self.usd + self._reserved + most <= self._max_usd:
                    self.n_calls += 1
                    self._reserved += most
                    return most
                self._turn.wait()
            return None

    def settle(self, reserved: float, cost: float | None) -> None:
        """Book what a call cost; an unknown cost is booked as the most that it may have been."""
        with self._turn:
            self._reserved -= reserved
            self.usd += reserved if cost is None else cost
            self._turn.notify_all()


_LENGTHS: Final = ("max_completion_tokens", "max_tokens")
