"""The real command, and small inputs for it, in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from real_command import Finished, call
from small_inputs import write_inputs


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
