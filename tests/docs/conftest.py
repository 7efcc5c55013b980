"""A place to run the pages' commands in."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Workplace


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of `grade demo`, made once; only to be copied."""
    place = Workplace(tmp_path_factory.mktemp("demo"), demo=None)
    code, said = place.run("grade demo --quiet --out out/demo")
    assert code == 0, said
    return place.folder / "out" / "demo"


@pytest.fixture
def workplace(tmp_path: Path, demo: Path) -> Workplace:
    """A folder like a fresh checkout after `make demo`."""
    return Workplace(tmp_path, demo)
