"""A place to run the pages' commands in."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Workplace, makes_demo


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of `grade demo`, made once; only to be copied."""
    place = Workplace(tmp_path_factory.mktemp("demo"), demo=None)
    code, said = place.run("grade demo --quiet --out out/demo")
    assert code == 0, said
    return place.folder / "out" / "demo"


@pytest.fixture
def workplace(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Workplace:
    """A folder like a fresh checkout after `make demo`; before it, for a page that makes the demo itself."""
    return Workplace(tmp_path, None if makes_demo(page) else request.getfixturevalue("demo"))
