"""The real command, and small inputs for it, in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from small_inputs import write_inputs

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("grade")
COMMAND = (
    [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-c", "from pipelines.cli import main; main()"]
)
Finished = subprocess.CompletedProcess


def call(folder: Path, *arguments: object) -> Finished:
    """Run the command in a folder."""
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    if not SCRIPT.exists():
        environment["PYTHONPATH"] = str(ROOT)
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="session")
def command() -> Callable[..., Finished]:
    """The command, run in the folder that is its first argument."""
    return call


@pytest.fixture
def grade(tmp_path: Path) -> Callable[..., Finished]:
    """The command, run in the temporary folder."""
    return partial(call, tmp_path)


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The temporary folder with small inputs; see `small_inputs.write_inputs`."""
    return write_inputs(tmp_path)


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    """A folder with small inputs that were scored once, and how the command ended; only to be read."""
    folder = write_inputs(tmp_path_factory.mktemp("scored"))
    arguments = ("runs", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", "out")
    return folder, call(folder, "score", *arguments)
