"""Score on a Ray cluster: one that runs already, or one of this machine for the time of the command.

Slices are cut, and the result is written, where the command runs. A worker gets the index of a
slice and its verdicts, reads the runs from the store, writes the tables beside the result
(`pipelines.engines.slices`) and tells how many rows they have. What a slice makes does not depend
on where it is made, so a slice whose worker is lost is given out again.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Optional, Self

import polars as pl
import ray
from ray.exceptions import RayError, RayTaskError

from grade.db import Database
from grade.errors import GradeError, InputError
from pipelines.engines.slices import Made, require_seen, slices_beside, take_slice, write_slice
from pipelines.fingerprints import code_digest
from pipelines.groups import Ground, Piece, Tables, Work, complete, cut_piece, score_runs
from pipelines.manifest import engine_versions, grade_version
from pipelines.places import Place
from pipelines.progress import Progress

_TRIES: Final = 4
_AHEAD: Final = 2
_PATIENCE_S: Final = 10.0
_ENDING_S: Final = 10.0
_ONE_THREAD: Final = {"POLARS_MAX_THREADS": "1"}


class ClusterError(GradeError):
    """The cluster cannot do the work."""


_Result = Optional["ray.ObjectRef[Made]"]
_Give = Callable[[Piece, str], _Result]


class _Shared(NamedTuple):
    """What every worker needs: what scoring rests on, the place for slices, and the program."""

    ground: Ground
    slices: Place
    program: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Gives slices out to the workers of a Ray cluster, two for each of its processors at a time.

    Attributes:
        beside: Where the result shall stand; workers put what they make beside it.
        address: Of a running cluster; None begins one on this machine that ends with the command.
    """

    beside: Place
    address: str | None = None

    def make(
        self, slices: Iterable[pl.DataFrame], work: Work, *, threads: int | None, progress: Progress
    ) -> Generator[Tables]:
        """See `pipelines.engines.engine.Engine.make`.

        Raises:
            ClusterError: There is no such cluster, or it lost the workers of a slice again and again.
            SliceError: Workers and this machine see no common place beside the result.
        """
        with _connected(self.address, threads), slices_beside(self.beside) as place:
            yield from _in_order(slices, work, place, progress)


@dataclass(frozen=True, slots=True)
class _Batch:
    """A slice on its way; `result` is None where nothing of it has to be scored."""

    number: int
    piece: Piece
    result: _Result
    n_tries: int = 1

    @classmethod
    def given(cls, number: int, piece: Piece, give: _Give, n_tries: int = 1) -> Self:
        """Give a slice out under a name that no other try has."""
        return cls(number, piece, give(piece, f"{number:06d}-{n_tries}"), n_tries)


def _in_order(
    slices: Iterable[pl.DataFrame], work: Work, place: Place, progress: Progress
) -> Generator[Tables]:
    ground = replace(work.ground, parts=_seen_from_anywhere(work.ground))
    task = ray.remote(num_cpus=1, max_retries=0)(_score_on_worker)
    shared = ray.put(_Shared(ground, place, _program()))

    def give(piece: Piece, name: str) -> _Result:
        return task.remote(piece.fresh, piece.verdicts, shared, name) if piece.fresh.height else None

    n_ahead = _AHEAD * max(1, _n_processors())
    waiting: deque[_Batch] = deque()

    def take() -> Tables:
        made = _first_made(waiting, give, progress)
        tables = None if made is None else take_slice(made, place)
        return complete(waiting.popleft().piece, tables, work)

    try:
        for number, index in enumerate(slices):
            if len(waiting) >= n_ahead:
                yield take()
            waiting.append(_Batch.given(number, cut_piece(index, work), give))
        while waiting:
            yield take()
    finally:
        _stop([batch.result for batch in waiting if batch.result is not None])


def _stop(results: list[ray.ObjectRef[Made]]) -> None:
    """Let workers end before what they write is cleared away."""
    for result in results:
        ray.cancel(result)
    if results:
        ray.wait(results, num_returns=len(results), timeout=_ENDING_S)


def _first_made(waiting: deque[_Batch], give: _Give, progress: Progress) -> Made | None:
    """Wait for the first slice; where its worker is lost, give it out again."""
    while (result := waiting[0].result) is not None:
        try:
            return ray.get(result)
        except RayTaskError as fault:
            if isinstance(fault.cause, GradeError):
                raise fault.cause from None
            raise
        except RayError as fault:
            waiting[0] = _given_again(waiting[0], fault, give, progress)
    return None


def _given_again(batch: _Batch, fault: RayError, give: _Give, progress: Progress) -> _Batch:
    n_runs, reason = batch.piece.fresh.height, type(fault).__name__
    if batch.n_tries == _TRIES:
        raise ClusterError(
            f"the cluster lost the workers of {n_runs:,} runs {_TRIES} times",
            got=reason,
            hint="a worker may lack memory: make batches smaller (batch_runs in the settings)",
        ) from fault
    progress.say(f"a worker was lost ({reason}); its {n_runs:,} runs are scored again")
    return _Batch.given(batch.number, batch.piece, give, batch.n_tries + 1)


def _n_processors() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return int(resources.get("CPU", 1))


def _score_on_worker(index: pl.DataFrame, verdicts: pl.DataFrame, shared: _Shared, name: str) -> Made:
    ground, slices, program = shared
    if program != _program():
        raise ClusterError(
            "a worker has another version of grade, or of what it computes with",
            got=" ".join(_program()),
            expected=" ".join(program),
            hint="install the same versions on every machine",
        )
    if isinstance(ground.parts, Path) and not ground.parts.is_dir():
        raise InputError(
            "a worker does not see the store",
            where=str(ground.parts),
            hint="put it on storage that every machine has under this path, or on s3://",
        )
    require_seen(slices)
    return write_slice(score_runs(index, verdicts, ground, database=_database()), slices, name)


@cache
def _database() -> Database:
    return Database(threads=1)


def _program() -> tuple[str, ...]:
    versions = (f"{name} {version}" for name, version in engine_versions().items())
    return (f"grade {grade_version()}", code_digest()[:12], *versions)


def _seen_from_anywhere(ground: Ground) -> Place:
    return ground.parts.resolve() if isinstance(ground.parts, Path) else ground.parts


@contextmanager
def _connected(address: str | None, threads: int | None) -> Iterator[None]:
    """Join a cluster, or begin one of this machine; each worker uses one thread.

    A program that is connected already stays so.
    """
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    own: dict[str, Any] = {"num_cpus": threads or os.cpu_count() or 1, "include_dashboard": False}
    where: dict[str, Any] = {"address": address} if address is not None else {"address": "local", **own}
    try:
        if address is not None:
            _require_answer(address)
        ray.init(
            **where,
            log_to_driver=False,
            logging_level=logging.ERROR,
            runtime_env={"env_vars": _ONE_THREAD},
        )
    except (OSError, ValueError, RuntimeError) as fault:
        raise ClusterError(
            "the cluster cannot be reached" if address else "no cluster can be begun on this machine",
            where=address or "",
            got=str(fault).splitlines()[0] if str(fault) else type(fault).__name__,
        ) from fault
    try:
        yield
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Ask the head of a cluster for a sign, since Ray itself waits for minutes.

    Raises:
        OSError: Nobody answers.
        ValueError: It is no address.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("it is no address of the form HOST:PORT")
    socket.create_connection((host, int(port)), timeout=_PATIENCE_S).close()
