from __future__ import annotations

import io
import itertools

import pytest
from rich.console import Console

from pipelines.progress import Bars, Lines, Silent, make_progress


def clock(*times: float):
    seconds = itertools.chain(times, itertools.repeat(times[-1]))
    return lambda: next(seconds)


def test_a_short_step_says_nothing():
    stream = io.StringIO()
    with Lines(stream, clock(0, 0.1, 0.9)).step("scoring", unit="runs", total=10) as advance:
        advance(10)
    assert stream.getvalue() == ""


def test_a_long_step_says_how_far_and_how_fast():
    stream = io.StringIO()
    with Lines(stream, clock(0, 5, 5, 10)).step("scoring", unit="runs", total=2_000) as advance:
        advance(1_000)
    assert stream.getvalue().splitlines() == [
        "scoring: 1,000 of 2,000 runs in 5.0 s, 200 runs/s",
        "scoring: 1,000 runs in 10.0 s, 100 runs/s",
    ]


def test_silence_is_silent(capsys):
    progress = Silent()
    with progress.step("scoring", unit="runs") as advance:
        advance(1)
    progress.say("anything")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "is_shown"), [(0.5, False), (2.0, True)])
def test_a_bar_comes_after_a_second(seconds, is_shown):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100)
    with Bars(console, clock(0, seconds)).step("scoring", unit="runs", total=10) as advance:
        advance(5)
    assert ("scoring" in stream.getvalue()) is is_shown


def test_a_bar_goes_away_when_the_work_fails():
    console = Console(file=io.StringIO(), force_terminal=True)
    bars = Bars(console, clock(0, 2))

    def fail() -> None:
        with bars.step("scoring", unit="runs") as advance:
            advance(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not console._live_stack


def test_what_is_said_is_told_as_it_is():
    stream = io.StringIO()
    Bars(Console(file=stream, force_terminal=False)).say("[bold]not markup[/bold]")
    assert stream.getvalue() == "[bold]not markup[/bold]\n"


def test_the_form_fits_the_stream():
    assert isinstance(make_progress(is_quiet=True), Silent)
    assert isinstance(make_progress(is_quiet=False, stream=io.StringIO()), Lines)
