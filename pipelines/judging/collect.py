"""`grade judge collect`: read the results of batch files into the store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grade.errors import InputError
from grade.judging.keys import Judge
from grade.judging.replies import Reading
from pipelines.judging.asking import Exchange, first_messages, read_answer, repair_messages, to_judgement
from pipelines.judging.assets import load_families
from pipelines.judging.budget import Prices
from pipelines.judging.endpoint import Answer, BusyError, read_body
from pipelines.judging.plan import plan_columns, plan_rows
from pipelines.judging.requests import REPAIR, batch_line, write_lines
from pipelines.judging.runner import Relations
from pipelines.judging.store import Claim, Store

_NOT_GIVEN = "first_reply_not_given"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest:
    """What to read.

    Attributes:
        plan: The file of questions.
        replies: The provider's result files, of first requests and of repairs.
        store: The verdict store.
        repairs: Where to write requests that ask again after a reply that cannot be read; None
            takes such replies as unscored.
        with_schema: The requests asked for replies that keep to a JSON schema.
        prices: What tokens cost.
        families: The user's own table of model families.
        allow_same_family: Take verdicts of a judge on its own family, and flag them.
    """

    plan: Path
    replies: tuple[Path, ...]
    store: Path
    repairs: Path | None = None
    with_schema: bool = True
    prices: Prices = field(default_factory=Prices)
    families: Path | None = None
    allow_same_family: bool = False


@dataclass(slots=True)
class Collected:
    """What became of the results.

    Attributes:
        n_results: Lines read.
        n_before: Results that the store has already.
        n_unknown: Results that answer no question of the plan.
        n_same_family: Results refused because the judge is related to the model.
        states: How many replies were read, repaired and unscored.
        failures: Why requests failed, and how many.
        repairs: Files of requests that ask again.
        n_repairs: Requests in them.
    """

    n_results: int = 0
    n_before: int = 0
    n_unknown: int = 0
    n_same_family: int = 0
    states: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    repairs: tuple[Path, ...] = ()
    n_repairs: int = 0


def collect(request: CollectRequest) -> Collected:
    """Store the verdicts that batch results hold.

    A reply that cannot be read is asked for once more, by a file of requests, or is unscored.

    Raises:
        InputError: A file cannot be read, or no batch was ever written for this store.
        OutputError: The store or the file of repairs cannot be written.
    """
    told = Collected()
    answers = _read_results(request.replies, told)
    keys = plan_columns(request.plan, ["model_id", "question_key"])
    relations = Relations(keys, load_families(request.families))
    again: list[bytes] = []
    with Store(request.store) as store:
        judges = store.judges()
        if not judges:
            raise InputError(
                "no batch was written for this store",
                where=str(request.store),
                hint="write one with: grade judge batch PLAN --model NAME --store DIR --out FILE",
            )
        for question in plan_rows(request.plan):
            for judge in judges:
                key = judge.verdict_key(question["question_key"], question["repeat"])
                first, second = answers.pop(key, None), answers.pop(key + REPAIR, None)
                given = [answer for answer in (first, second) if answer is not None]
                if given:
                    again += _Result(request, question, judge, key, given, second is not None).settle(
                        store, relations, told
                    )
    told.n_unknown = len(answers)
    told.n_repairs = len(again)
    told.repairs = write_lines(again, request.repairs) if request.repairs is not None else ()
    return told


@dataclass(frozen=True, slots=True)
class _Result:
    request: CollectRequest
    question: Mapping[str, Any]
    judge: Judge
    key: str
    answers: list[Answer]
    is_repair: bool

    def settle(self, store: Store, relations: Relations, told: Collected) -> list[bytes]:
        """Store the verdict, or return the request that asks again."""
        reading, is_related = self._reading(), self._is_related(relations)
        if is_related and not self.request.allow_same_family:
            told.n_same_family += len(self.answers)
            return []
        if reading.problem and not self.is_repair and self.request.repairs is not None:
            return [self._again(reading)]
        if store.claim(self.key) is not Claim.TAKEN:
            told.n_before += len(self.answers)
            return []
        row = self._row(reading, is_related=is_related)
        store.append(row)
        store.release(self.key)
        told.states[row["reply_state"]] += 1
        return []

    def _reading(self) -> Reading:
        return read_answer(self.answers[-1], is_claim=self.question["kind"] != "dimension")

    def _row(self, reading: Reading, *, is_related: bool) -> dict[str, Any]:
        is_claim = self.question["kind"] != "dimension"
        first = read_answer(self.answers[0], is_claim=is_claim).problem
        if self.is_repair and len(self.answers) == 1:
            first = _NOT_GIVEN
        return to_judgement(
            self.question,
            self.judge,
            Exchange(tuple(self.answers), with_schema=self.request.with_schema),
            reading,
            first_problem=first,
            prices=self.request.prices,
            is_related=is_related,
        )

    def _is_related(self, relations: Relations) -> bool:
        served = self.answers[-1].served_model
        names = [self.judge.model, *([served] if served else [])]
        return any(self.question["question_key"] in relations.questions(name) for name in names)

    def _again(self, reading: Reading) -> bytes:
        messages = repair_messages(first_messages(self.question), self.answers[0].text, reading)
        with_schema = self.request.with_schema
        return batch_line(self.key + REPAIR, self.judge, messages, self.question, with_schema=with_schema)


def _read_results(paths: Sequence[Path], told: Collected) -> dict[str, Answer]:
    """The answers by the id of their request; of two for one request the first counts."""
    answers: dict[str, Answer] = {}
    for line in _lines(paths):
        told.n_results += 1
        custom_id, response = line.get("custom_id"), line.get("response")
        body = response.get("body") if isinstance(response, dict) else None
        if not isinstance(custom_id, str):
            told.failures["a result without custom_id"] += 1
            continue
        try:
            answer = read_body(body)
        except BusyError:
            told.failures[_why(line, response)] += 1
            continue
        if custom_id in answers:
            told.n_before += 1
        answers.setdefault(custom_id, answer)
    return answers


def _lines(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        try:
            for number, text in enumerate(path.read_bytes().splitlines(), start=1):
                if text.strip():
                    line = json.loads(text)
                    if not isinstance(line, dict):
                        raise _broken(path, number, "no object")
                    yield line
        except OSError as fault:
            raise InputError("the results cannot be read", where=str(path), got=str(fault)) from fault
        except ValueError as fault:
            raise _broken(path, number, str(fault)) from fault


def _broken(path: Path, number: int, got: str) -> InputError:
    return InputError(
        "the file is no batch result",
        where=f"{path}, line {number}",
        got=got,
        expected="one JSON object a line, with custom_id and response",
    )


def _why(line: Mapping[str, Any], response: object) -> str:
    error = line.get("error")
    if isinstance(error, dict):
        return f"{error.get('code') or 'error'}: {str(error.get('message'))[:200]}"
    status = response.get("status_code") if isinstance(response, dict) else None
    return f"status {status}" if status else "a result without a response"
