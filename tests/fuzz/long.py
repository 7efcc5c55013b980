"""The long fuzzing of `make fuzz`: rounds of hypothesis, then atheris, until the time is up.

    python tests/fuzz/long.py [--seconds 600] [--examples 50] [--seed N]

Half of the time goes to hypothesis: whole rounds over tests/fuzz and tests/property, each with
another seed, FUZZ_EXAMPLES examples per test. The rest goes to atheris where it is installed. A fault
ends it with 1; hypothesis shows the smallest example and plays it again in the next run, atheris
leaves a file in .fuzz/ that `python tests/fuzz/fuzz_files.py FILE` plays again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOOKED_AT = ("tests/fuzz", "tests/property")


def hypothesis_round(seed: int, examples: int) -> bool:
    """Run every property once; tell whether all held."""
    options = ("-q", "-x", "-p", "no:xdist", "-m", "not slow", f"--hypothesis-seed={seed}")
    command = [sys.executable, "-m", "pytest", *LOOKED_AT, *options]
    environment = os.environ | {"FUZZ_EXAMPLES": str(examples)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def atheris_run(seconds: int) -> bool:
    """Let atheris look for some seconds; tell whether it found nothing."""
    target = Path(__file__).with_name("fuzz_files.py")
    return subprocess.run([sys.executable, str(target), str(seconds)], cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """Fuzz until the time is up or a fault is found."""
    parser = argparse.ArgumentParser(description="fuzz the readers and the scorer")
    parser.add_argument("--seconds", type=int, default=600, help="about how long; a round is never cut short")
    parser.add_argument("--examples", type=int, default=50, help="examples per test and round")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="seed of the first round")
    asked = parser.parse_args()
    started, n_rounds = time.monotonic(), 0
    while n_rounds == 0 or time.monotonic() - started < asked.seconds / 2:
        if not hypothesis_round(asked.seed + n_rounds, asked.examples):
            print(f"a property does not hold; the seed was {asked.seed + n_rounds}", file=sys.stderr)
            return 1
        n_rounds += 1
    spent = round(time.monotonic() - started)
    print(f"hypothesis: {n_rounds} rounds of {asked.examples} examples per test in {spent} s, no fault")
    sys.stdout.flush()
    if not atheris_run(max(asked.seconds // 2, asked.seconds - spent)):
        print("atheris found a fault; its input is the newest file crash-* in .fuzz/", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
