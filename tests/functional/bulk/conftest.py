"""Stores and results in a temporary folder, scored in this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from small_inputs import run, write_inputs

from grade.settings import DEFAULTS, override
from pipelines.ingest import ingest
from pipelines.progress import Silent
from pipelines.score import ScoreOutcome, ScoreRequest, score


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a result but the manifest, which knows the time and how much was reused."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


class Interrupting(Silent):
    """A user who presses Ctrl-C after some batches."""

    def __init__(self, after: int) -> None:
        self.after = after

    @contextmanager
    def step(self, name: str, **_: object) -> AbstractContextManager[Callable[[int], None]]:
        left = self.after

        def advance(_: int) -> None:
            nonlocal left
            left -= 1
            if name == "scoring" and left == 0:
                raise KeyboardInterrupt

        yield advance


@pytest.fixture
def place(tmp_path) -> Path:
    """A folder with small inputs and a store of their runs."""
    write_inputs(tmp_path)
    ingest([str(tmp_path / "runs")], tmp_path / "store")
    return tmp_path


def _rescore(
    place: Path,
    out: str = "out",
    *,
    stop_after: int | None = None,
    threads: int | None = None,
    verdicts: tuple[str, ...] = ("verdicts.jsonl",),
    reuses: bool = True,
    **settings: int,
) -> ScoreOutcome:
    request = ScoreRequest(
        store=place / "store",
        packs=place / "packs",
        verdicts=tuple(str(place / name) for name in verdicts),
        out=place / out,
        settings=override(DEFAULTS, settings),
        threads=threads,
        reuses=reuses,
    )
    return score(request, progress=Silent() if stop_after is None else Interrupting(stop_after))


@pytest.fixture
def rescore(place) -> Callable[..., ScoreOutcome]:
    """Score from the store."""
    return partial(_rescore, place)


@pytest.fixture
def many(place) -> Path:
    """The same, with a dozen models more: 28 groups."""
    path = place / "more.jsonl"
    records = [
        run(index, f"more/model-{model:02}", task_id, key_findings=[f"Finding {model} of {index}."])
        for model in range(12)
        for task_id in ("T-1", "T-2")
        for index in range(3)
    ]
    from small_inputs import write_lines

    write_lines(path, records)
    ingest([str(path)], place / "store")
    return place
