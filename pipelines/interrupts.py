"""Ctrl-C at the right moment: what must be whole is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def unbroken() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block.

    Raises:
        KeyboardInterrupt: At the end of the block, when the user pressed Ctrl-C within it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received:
        raise KeyboardInterrupt
