"""Work on several slices side by side and hand the results back in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from grade.db import Database

Slice = TypeVar("Slice")
Made = TypeVar("Made")


def in_order(
    work: Callable[[Slice, Database], Made], slices: Iterable[Slice], *, workers: int, threads: int | None
) -> Generator[Made]:
    """Yield `work(slice, database)` for each slice, in order.

    Threads suffice, since the engines work outside the interpreter; each has a database of its
    own. At most one finished result per worker waits to be taken, so memory does not grow with
    the number of slices.

    Args:
        work: What to do.
        slices: What to do it with.
        workers: How many slices are worked on at once.
        threads: Threads of each database.
    """
    local = threading.local()
    opened: list[Database] = []

    def run(piece: Slice) -> Made:
        if not hasattr(local, "database"):
            local.database = Database(threads=threads)
            opened.append(local.database)
        return work(piece, local.database)

    waiting: deque[Future[Made]] = deque()
    pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="grade")
    try:
        for piece in slices:
            if len(waiting) > workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(run, piece))
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for database in opened:
            database.close()
