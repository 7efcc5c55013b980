"""Stores and results in a temporary folder, scored in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from small_inputs import run, write_lines

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
    def step(self, name: str, **_: object) -> Iterator[Callable[[int], None]]:
        left = self.after

        def advance(_: int) -> None:
            nonlocal left
            left -= 1
            if name == "scoring" and left == 0:
                raise KeyboardInterrupt

        yield advance


def rescore(
    out: str = "out",
    *,
    runs: tuple[str, ...] = (),
    stop_after: int | None = None,
    threads: int | None = None,
    reuses: bool = True,
    **settings: int,
) -> ScoreOutcome:
    """Score what lies in the working folder: its store, or run files if given."""
    request = ScoreRequest(
        runs=runs,
        store=None if runs else Path("store"),
        packs=Path("packs"),
        verdicts=("verdicts.jsonl",),
        out=Path(out),
        settings=override(DEFAULTS, settings),
        threads=threads,
        reuses=reuses,
    )
    return score(request, progress=Silent() if stop_after is None else Interrupting(stop_after))


def add_models() -> None:
    """Put a dozen models more into the store: 28 groups in all."""
    records = [
        run(index, f"more/model-{model:02}", task_id, key_findings=[f"Finding {model} of {index}."])
        for model in range(12)
        for task_id in ("T-1", "T-2")
        for index in range(3)
    ]
    write_lines(Path("more.jsonl"), records)
    ingest(["more.jsonl"], Path("store"))
