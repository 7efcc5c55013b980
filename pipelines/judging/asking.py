"""Put one question until it has a verdict, with patience for the endpoint and one repair of the reply."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from typing import Any, Final, NamedTuple, Protocol

from grade.judging.keys import Judge
from grade.judging.records import PLAIN_JSON, SAME_FAMILY, Asked, build_judgement
from grade.judging.replies import Reading, read_reply
from pipelines.judging.assets import repair_prompt
from pipelines.judging.budget import Budget, Prices
from pipelines.judging.endpoint import Answer, BusyError, Messages, RefusedError, extra_body

_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 60.0
_CUT: Final = "length"


class Asks(Protocol):
    """Something that takes requests; see `pipelines.judging.endpoint.Endpoint`."""

    def ask(self, model: str, messages: Messages, extra: Mapping[str, Any]) -> Answer:
        """Put one request."""
        ...


class StoppedError(Exception):
    """The work ends here: a ceiling is reached, or someone stopped it."""


class Exchange(NamedTuple):
    """The answers that a question got, and what is true of all of them."""

    answers: tuple[Answer, ...]
    with_schema: bool


@dataclass
class Asker:
    """Asks an endpoint on behalf of a judge; its threads share it.

    Attributes:
        endpoint: Who is asked.
        judge: Under which name and parameters.
        budget: What may be spent.
        stop: Set when the work is to end.
        n_retries: How often a call is tried again.
        with_schema: Ask for replies that keep to a JSON schema; off once an endpoint refused it.
        draw: A number from 0 to 1, to spread out what is tried again.
    """

    endpoint: Asks
    judge: Judge
    budget: Budget
    stop: Event
    n_retries: int = 6
    with_schema: bool = True
    draw: Callable[[], float] = random.random

    def put(self, question: Mapping[str, Any]) -> tuple[Exchange, Reading, str | None]:
        """Put a question, and once more when the first reply cannot be read.

        Returns:
            The answers, how the last one reads, and what was wrong with the first one.

        Raises:
            BusyError, RefusedError, FatalError: The endpoint did not answer.
            StoppedError: The work ends.
        """
        is_claim = question["kind"] != "dimension"
        tokens = question["estimated_tokens"]
        messages = first_messages(question)
        first, with_schema = self._call(messages, tokens, is_claim=is_claim)
        reading = read_answer(first, is_claim=is_claim)
        if reading.problem is None:
            return Exchange((first,), with_schema), reading, None
        again = repair_messages(messages, first.text, reading)
        second, with_schema = self._call(again, tokens + len(first.text), is_claim=is_claim)
        return Exchange((first, second), with_schema), read_answer(second, is_claim=is_claim), reading.problem

    def _call(self, messages: Messages, tokens: int, *, is_claim: bool) -> tuple[Answer, bool]:
        """Call with a schema where the endpoint takes one, else without."""
        if self.with_schema:
            try:
                return self._patiently(messages, tokens, is_claim=is_claim, with_schema=True), True
            except RefusedError:
                answer = self._patiently(messages, tokens, is_claim=is_claim, with_schema=False)
                self.with_schema = False
                return answer, False
        return self._patiently(messages, tokens, is_claim=is_claim, with_schema=False), False

    def _patiently(self, messages: Messages, tokens: int, *, is_claim: bool, with_schema: bool) -> Answer:
        body = extra_body(json.loads(self.judge.parameters), is_claim=is_claim, with_schema=with_schema)
        for attempt in range(self.n_retries + 1):
            try:
                return self._once(messages, tokens, body)
            except BusyError as fault:
                if attempt == self.n_retries:
                    raise
                self._pause(attempt, fault.wait_s)
        raise AssertionError("a call ends by answer or error")  # pragma: no cover

    def _once(self, messages: Messages, tokens: int, body: Mapping[str, Any]) -> Answer:
        reserved = None if self.stop.is_set() else self.budget.reserve(tokens)
        if reserved is None:
            raise StoppedError("stopped" if self.stop.is_set() else "the ceiling is reached")
        cost: float | None = 0.0
        try:
            answer = self.endpoint.ask(self.judge.model, messages, body)
            cost = cost_of(answer, self.budget.prices)
        finally:
            self.budget.settle(reserved, cost)
        return answer

    def _pause(self, attempt: int, wait_s: float | None) -> None:
        """Wait as long as the endpoint says, or twice as long each time, give or take a half."""
        own = _FIRST_WAIT_S * 2**attempt * (0.5 + self.draw())
        if self.stop.wait(min(_LONGEST_WAIT_S, own if wait_s is None else wait_s + 0.1 * self.draw())):
            raise StoppedError("stopped")


def first_messages(question: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the conversation that puts a question."""
    return [
        {"role": "system", "content": question["system_prompt"]},
        {"role": "user", "content": question["prompt"]},
    ]


def repair_messages(messages: Messages, reply: str, reading: Reading) -> list[Mapping[str, str]]:
    """Return the conversation that asks once more, after a reply that cannot be read."""
    told = repair_prompt(reading.detail)
    return [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": told}]


def read_answer(answer: Answer, *, is_claim: bool) -> Reading:
    """Read the reply of one answer."""
    return read_reply(answer.text, is_claim=is_claim, is_cut=answer.finish_reason == _CUT)


def cost_of(answer: Answer, prices: Prices) -> float | None:
    """What a call cost: as the endpoint says, else by its tokens; None when neither is known."""
    if answer.cost_usd is not None:
        return answer.cost_usd
    return prices.cost(answer.prompt_tokens, answer.completion_tokens)


def to_judgement(
    question: Mapping[str, Any],
    judge: Judge,
    exchange: Exchange,
    reading: Reading,
    *,
    first_problem: str | None,
    prices: Prices,
    is_related: bool,
) -> dict[str, Any]:
    """Return the row of JUDGEMENTS for a question that was put."""
    answers, last = exchange.answers, exchange.answers[-1]
    asked = Asked(
        tuple(answer.text for answer in answers),
        last.finish_reason,
        last.served_model,
        len(answers),
        _total([answer.prompt_tokens for answer in answers]),
        _total([answer.completion_tokens for answer in answers]),
        _total([cost_of(answer, prices) for answer in answers]),
        _total([answer.latency_ms for answer in answers]),
    )
    flags = {PLAIN_JSON: not exchange.with_schema, SAME_FAMILY: is_related}
    return build_judgement(
        question,
        judge,
        asked,
        reading,
        first_problem=first_problem,
        flags=[name for name, holds in flags.items() if holds],
        asked_utc=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


def _total(values: list[Any]) -> Any:  # noqa: ANN401
    """The sum; None when a part is unknown."""
    return None if None in values else sum(values)
