"""`grade judge run`: put the questions of a plan to a judge and store its verdicts as they arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final

import polars as pl

from grade.errors import GradeError
from grade.judging.families import Families, SameFamilyError
from grade.judging.keys import DEFAULT_PARAMETERS, Judge, write_parameters
from pipelines.judging.asking import Asker, StoppedError, to_judgement
from pipelines.judging.assets import load_families
from pipelines.judging.budget import Budget, Prices
from pipelines.judging.endpoint import Endpoint, EndpointError, EndpointSettings, FatalError
from pipelines.judging.plan import plan_columns, plan_rows
from pipelines.judging.store import Claim, Store
from pipelines.progress import Progress

_PATIENCE: Final = 5
_POLL_S: Final = 0.2


class JudgeFailedError(GradeError):
    """The endpoint does not answer; what was answered before is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """Whom to ask what, and how.

    Attributes:
        plan: The file of questions.
        store: The verdict store.
        model: The judge.
        parameters: Its parameters.
        endpoint: How it is reached.
        prices: What its tokens cost.
        concurrency: Questions under way at a time.
        n_retries: How often a call is tried again.
        max_calls: Most requests to send.
        max_usd: Most money to spend.
        with_schema: Ask for replies that keep to a JSON schema.
        retry_unscored: Ask again what could not be read.
        families: The user's own table of model families.
        allow_same_family: Let a judge score its own family, and flag it.
        skip_same_family: Leave out what concerns the judge's own family.
    """

    plan: Path
    store: Path
    model: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: dict(DEFAULT_PARAMETERS))
    endpoint: EndpointSettings = field(default_factory=EndpointSettings)
    prices: Prices = field(default_factory=Prices)
    concurrency: int = 8
    n_retries: int = 6
    max_calls: int | None = None
    max_usd: float | None = None
    with_schema: bool = True
    retry_unscored: bool = False
    families: Path | None = None
    allow_same_family: bool = False
    skip_same_family: bool = False

    @property
    def judge(self) -> Judge:
        """The judge, as verdicts name it."""
        return Judge(self.model, write_parameters(self.parameters))


@dataclass(slots=True)
class JudgeOutcome:
    """What a run of a judge came to.

    Attributes:
        n_questions: Distinct questions of the plan.
        n_before: Those that the store answered already.
        n_skipped: Those left out because they concern the judge's own family.
        states: How many replies were read, repaired and unscored.
        failures: Why questions got no answer, and how many.
        n_calls: Requests sent.
        usd: What they cost, unknown costs at the most they may have been.
        stopped: Why the work ended early; empty when it did not.
    """

    n_questions: int = 0
    n_before: int = 0
    n_skipped: int = 0
    states: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    n_calls: int = 0
    usd: float = 0.0
    stopped: str = ""

    @property
    def n_missing(self) -> int:
        """Questions that still have no stored reply."""
        return self.n_questions - self.n_before - self.n_skipped - self.states.total()


class Relations:
    """Which questions of a plan concern models that are related to a judge.

    Args:
        keys: model_id and question_key of the plan.
        families: The table of families.
    """

    def __init__(self, keys: pl.DataFrame, families: Families) -> None:
        self._keys, self._families = keys.unique(), families
        self._known: dict[str, frozenset[str]] = {}

    def models(self, judge: str) -> list[str]:
        """Return the models of the plan that are related to a judge, sorted."""
        models = self._keys["model_id"].unique().sort().to_list()
        return [model for model in models if self._families.are_related(judge, model)]

    def questions(self, judge: str) -> frozenset[str]:
        """Return the keys of the questions that concern such models."""
        if judge not in self._known:
            related = self._keys.filter(pl.col("model_id").is_in(self.models(judge)))
            self._known[judge] = frozenset(related["question_key"])
        return self._known[judge]


def run_judge(request: JudgeRequest, *, progress: Progress, endpoint: Endpoint | None = None) -> JudgeOutcome:
    """Put every question of a plan that no stored verdict of this judge answers.

    Verdicts are on the disk as they arrive, so that a killed run loses nothing but the calls
    under way; a second run, or one beside it, asks only what is missing.

    Args:
        request: Whom to ask what.
        progress: Where to say how far the work is.
        endpoint: Who is asked; None opens the one that the request names.

    Raises:
        SameFamilyError: The judge is related to a model of the plan.
        JudgeFailedError: The endpoint does not answer.
        InputError, SettingsError, OutputError: The plan, the store or the options are wrong.
    """
    judge = request.judge
    relations = Relations(
        plan_columns(request.plan, ["model_id", "question_key"]), load_families(request.families)
    )
    require_unrelated(request, relations)
    stop = Event()
    budget = Budget(request.max_calls, request.max_usd, request.prices, request.parameters)
    asker = Asker(
        endpoint or Endpoint(request.endpoint),
        judge,
        budget,
        stop,
        n_retries=request.n_retries,
        with_schema=request.with_schema,
    )
    with Store(request.store, retry_unscored=request.retry_unscored) as store:
        store.note_judge(judge)
        work = _Work(request, asker, store, relations)
        work.outcome.n_questions = plan_columns(request.plan, ["question_key", "repeat"]).unique().height
        with progress.step("judging", unit="questions", total=work.outcome.n_questions) as advance:
            work.do(advance)
    work.outcome.n_calls, work.outcome.usd = budget.n_calls, budget.usd
    if work.fault is not None:
        raise work.fault
    return work.outcome


def require_unrelated(request: JudgeRequest, relations: Relations) -> None:
    """Refuse a judge that is related to a model of the plan, unless the user decided on that.

    Raises:
        SameFamilyError: It is related.
    """
    related = relations.models(request.model)
    if related and not (request.allow_same_family or request.skip_same_family):
        raise _same_family(request.model, related)


def _same_family(judge: str, models: list[str]) -> SameFamilyError:
    return SameFamilyError(
        "the judge is of the family of models that it would score",
        got=f"judge {judge}, models {', '.join(models[:5])}" + (" and others" if models[5:] else ""),
        hint="take another judge, leave these models out with --skip-same-family, or accept a flag on"
        " every such verdict with --allow-same-family",
    )


class _Work:
    """The threads' common state: what comes next, what came of it, and whether to go on."""

    def __init__(self, request: JudgeRequest, asker: Asker, store: Store, relations: Relations) -> None:
        self._request, self._asker, self._store, self._relations = request, asker, store, relations
        self.outcome = JudgeOutcome()
        self.fault: GradeError | BaseException | None = None
        self._held: list[tuple[str, dict[str, Any]]] = []
        self._n_failed_in_a_row = 0
        self._queue = self._questions()
        self._lock, self._turn = Lock(), Lock()

    def do(self, advance: Any) -> None:  # noqa: ANN401
        threads = [
            Thread(target=self._thread, args=(advance,), daemon=True)
            for _ in range(max(1, self._request.concurrency))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_POLL_S)
        except KeyboardInterrupt:
            self._asker.stop.set()
            for thread in threads:
                thread.join()
            raise

    def _thread(self, advance: Any) -> None:  # noqa: ANN401
        try:
            while not self._asker.stop.is_set():
                with self._turn:
                    taken = next(self._queue, None)
                if taken is None:
                    return
                self._settle(*taken)
                with self._lock:
                    advance(1)
        except StoppedError as fault:
            self._end(str(fault))
        except BaseException as fault:  # noqa: BLE001 - a thread's fault is the caller's
            self.fault = self.fault or fault
            self._end("a fault")

    def _end(self, why: str) -> None:
        with self._lock:
            if not self.outcome.stopped and not self._asker.stop.is_set():
                self.outcome.stopped = why
        self._asker.stop.set()

    def _questions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give each distinct question that this process may put; those that others hold come last."""
        judge, seen = self._asker.judge, set[str]()
        skipped = self._relations.questions(judge.model) if self._request.skip_same_family else frozenset()
        for question in plan_rows(self._request.plan):
            key = judge.verdict_key(question["question_key"], question["repeat"])
            if key in seen:
                continue
            seen.add(key)
            if question["question_key"] in skipped:
                self.outcome.n_skipped += 1
            elif self._may_put(key, question):
                yield key, question
        while self._held and not self._asker.stop.wait(_POLL_S):
            waiting, self._held = self._held, []
            yield from (pair for pair in waiting if self._may_put(*pair))

    def _may_put(self, key: str, question: dict[str, Any]) -> bool:
        claim = self._store.claim(key)
        if claim is Claim.ANSWERED:
            self.outcome.n_before += 1
        elif claim is Claim.HELD:
            self._held.append((key, question))
        return claim is Claim.TAKEN

    def _settle(self, key: str, question: dict[str, Any]) -> None:
        try:
            exchange, reading, first_problem = self._asker.put(question)
            served = exchange.answers[-1].served_model
            row = to_judgement(
                question,
                self._asker.judge,
                exchange,
                reading,
                first_problem=first_problem,
                prices=self._request.prices,
                is_related=self._is_related(question["question_key"], served),
            )
            self._store.append(row)
            with self._lock:
                self.outcome.states[row["reply_state"]] += 1
                self._n_failed_in_a_row = 0
        except EndpointError as fault:
            self._note_failure(fault)
        finally:
            self._store.release(key)

    def _is_related(self, question_key: str, served: str | None) -> bool:
        """Tell whether the judge is related to the model that answered, also by the name served."""
        names = [self._request.model, *([served] if served else [])]
        related = any(question_key in self._relations.questions(name) for name in names)
        if related and served and not self._request.allow_same_family:
            raise _same_family(f"{self._request.model} (served: {served})", self._relations.models(served))
        return related

    def _note_failure(self, fault: EndpointError) -> None:
        with self._lock:
            self.outcome.failures[str(fault)] += 1
            self._n_failed_in_a_row += 1
            n_failed = self._n_failed_in_a_row
        if isinstance(fault, FatalError) or n_failed >= _PATIENCE:
            raise JudgeFailedError(
                "the endpoint takes no questions; verdicts that came before are stored",
                got=str(fault),
                hint="run the same command again once it does; it asks only what is missing",
            )
