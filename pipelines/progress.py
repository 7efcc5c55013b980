"""Say on stderr how far the work is: a bar on a terminal, plain lines elsewhere, or nothing.

Nothing is shown for a step that takes less than a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichBars
from rich.text import Text

_PATIENCE_S: Final = 1.0
_LINE_EVERY_S: Final = 5.0


class Progress(Protocol):
    """Where a pipeline says what it does."""

    def step(
        self, name: str, *, unit: str, total: int | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Begin a step; the function that it yields is called with the number of rows done since.

        Args:
            name: What is done, such as `scoring`.
            unit: What is counted, such as `runs`.
            total: How many there are, if that is known.
        """
        ...

    def say(self, text: str) -> None:
        """Tell one line."""
        ...


class Silent:
    """Says nothing."""

    @contextmanager
    def step(self, name: str, *, unit: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Do nothing; see `Progress.step`."""
        del name, unit, total
        yield lambda _: None

    def say(self, text: str) -> None:
        """Do nothing."""


class Lines:
    """Plain lines for logs: one every few seconds, and one at the end of a long step.

    Args:
        stream: Where lines go.
        clock: Seconds, rising.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock

    @contextmanager
    def step(self, name: str, *, unit: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """See `Progress.step`."""
        start = spoken = self._clock()
        done = 0

        def advance(rows: int) -> None:
            nonlocal done, spoken
            done += rows
            if self._clock() - spoken >= _LINE_EVERY_S:
                spoken = self._clock()
                self.say(_line(name, unit, done, total, spoken - start))

        yield advance
        elapsed = self._clock() - start
        if elapsed >= _PATIENCE_S and done:
            self.say(_line(name, unit, done, None, elapsed))

    def say(self, text: str) -> None:
        """Write the line."""
        print(text, file=self._stream, flush=True)


class Bars:
    """A bar with rows per second and the time that is left, on a terminal.

    Args:
        console: The terminal.
        clock: Seconds, rising.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock

    @contextmanager
    def step(self, name: str, *, unit: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """See `Progress.step`."""
        start = self._clock()
        bars = RichBars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        task = bars.add_task(name, total=total, unit=unit)
        try:
            yield lambda rows: self._advance(bars, task, rows, start)
        finally:
            bars.stop()

    def say(self, text: str) -> None:
        """Write the line above the bar."""
        self._console.print(text, markup=False, highlight=False)

    def _advance(self, bars: RichBars, task: TaskID, rows: int, start: float) -> None:
        if not bars.live.is_started and self._clock() - start >= _PATIENCE_S:
            bars.start()
        bars.advance(task, rows)


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} {task.fields['unit']}/s" if speed else "")


def _line(name: str, unit: str, done: int, total: int | None, elapsed: float) -> str:
    of = f" of {total:,}" if total is not None else ""
    rate = f", {done / elapsed:,.0f} {unit}/s" if elapsed > 0 else ""
    return f"{name}: {done:,}{of} {unit} in {elapsed:.1f} s{rate}"


def since_last(advance: Callable[[int], None]) -> Callable[[int], None]:
    """Return a function that is called with rows done in all, and passes on those done since.

    Examples:
        >>> told = since_last(print)
        >>> told(5)
        5
        >>> told(7)
        2
    """
    before = 0

    def tell(total: int) -> None:
        nonlocal before
        advance(total - before)
        before = total

    return tell


def make_progress(*, is_quiet: bool, stream: TextIO | None = None) -> Progress:
    """Return the form that fits: nothing when quiet, bars on a terminal, else lines."""
    if is_quiet:
        return Silent()
    target = stream if stream is not None else sys.stderr
    return Bars(Console(file=target)) if target.isatty() else Lines(target)
