"""Run a command as a process of its own and measure it: wall and processor seconds, peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Measured(NamedTuple):
    """What one run of a command took.

    Attributes:
        wall_s: Seconds from start to end.
        cpu_s: Processor seconds, of all its threads.
        peak_mb: Most memory resident at once, in MB of a million bytes.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(command: list[str], *, folder: Path) -> Measured:
    """Run a command that must end with 0.

    This process must stay small: the system counts the memory that a new process has before it
    becomes the command, which is that of its parent.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{errors.decode()}")
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def typical(measured: list[Measured]) -> Measured:
    """Return the medians."""
    return Measured(*(median(values) for values in zip(*measured, strict=True)))
