"""The same records give the same bytes: whatever their order, files, batches and threads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest
from small_inputs import run, task, write_lines

N_RUNS, N_TASKS, MODELS = 4, 3, ("acme/a", "acme/b", "Acme/a")
PLACES = ("file", "line", "byte_offset")
WORDS = "attendance grew fell by 12.5 % 80.9 students tutoring of SCH-001 in October not 0.82 points".split()


def records() -> tuple[list[dict], list[dict]]:
    """Runs of random words and numbers, equal copies among them, and two judges' verdicts."""
    draw = random.Random(7)
    runs, verdicts = [], []
    for model in MODELS:
        for number in range(N_TASKS):
            for index in range(N_RUNS):
                said = [" ".join(draw.choices(WORDS, k=9)) + "." for _ in range(4)]
                metrics = {f"m{k}": draw.random() * 100 for k in range(3)} | {
                    "students": draw.choice([135, 153])
                }
                runs.append(run(index, model, f"T-{number}", key_findings=said, structured_metrics=metrics))
                key = {name: runs[-1][name] for name in ("model_id", "task_id", "run_index")}
                verdicts += [
                    key
                    | {"judge_id": judge, "dimension": dimension, "numeric_score": round(draw.random(), 3)}
                    for judge in ("j1", "j2")
                    for dimension in ("evidence_linkage", "structure_usability")
                ]
    return [*runs, *runs[::7]], verdicts


def outcome(out: Path) -> dict[str, object]:
    """Every file of a result; of rows that tell their place in a file, all but the place."""
    told: dict[str, object] = {}
    for path in out.rglob("*"):
        name = path.relative_to(out).as_posix()
        if name in {"verdicts.parquet", "rejects.parquet"}:
            told[name] = pl.read_parquet(path).drop(PLACES, strict=False).sort(pl.all()).rows()
        elif path.is_file() and name != "manifest.json":
            told[name] = path.read_bytes()
    told["stages"] = json.loads((out / "manifest.json").read_text())["stages"]
    return told


@pytest.fixture(scope="module")
def place(command, tmp_path_factory):
    """Records in order in one file, scored once."""
    folder = tmp_path_factory.mktemp("bytes")
    tasks = [task(f"T-{number}", track=1 + number) for number in range(N_TASKS)]
    write_lines(folder / "packs" / "small" / "tasks.jsonl", tasks)
    runs, verdicts = records()
    write_lines(folder / "runs.jsonl", runs)
    write_lines(folder / "verdicts.jsonl", verdicts)
    arguments = ("runs.jsonl", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", "first")
    finished = command(folder, "score", *arguments)
    assert finished.returncode == 0, finished.stderr
    return folder


def shuffled(folder: Path, name: str, seed: int, n_files: int) -> None:
    """The same runs and verdicts in other places; file names sort in another order than they are filled."""
    draw = random.Random(seed)
    runs, verdicts = records()
    for kind, found in (("runs", runs), ("verdicts", verdicts)):
        mixed = draw.sample(found, len(found))
        for number in range(n_files):
            write_lines(folder / name / kind / f"{(number * 7) % 10}.jsonl", mixed[number::n_files])


@pytest.mark.parametrize(
    ("name", "n_files", "batch_runs", "threads"),
    [("one", 1, 1, 1), ("three", 3, 5, 2), ("six", 6, 2_000, 4)],
)
def test_order_files_batches_and_threads_change_no_byte(place, command, name, n_files, batch_runs, threads):
    shuffled(place, name, seed=n_files, n_files=n_files)
    (place / f"{name}.toml").write_text(f"batch_runs = {batch_runs}\n")
    arguments = (f"{name}/runs", "--packs", "packs", "--verdicts", f"{name}/verdicts", "--out", f"out-{name}")
    more = ("--settings", f"{name}.toml", "--threads", threads)
    finished = command(place, "score", *arguments, *more)
    assert finished.returncode == 0, finished.stderr
    assert outcome(place / f"out-{name}") == outcome(place / "first")


def test_a_store_filled_in_any_order_changes_no_byte(place, command):
    shuffled(place, "stored", seed=11, n_files=3)
    for number in (1, 0, 2):
        path = f"stored/runs/{(number * 7) % 10}.jsonl"
        assert command(place, "ingest", path, "--store", "store").returncode == 0
    arguments = ("store", "--packs", "packs", "--verdicts", "stored/verdicts", "--out", "out-store")
    finished = command(place, "rescore", *arguments)
    assert finished.returncode == 0, finished.stderr
    first, other = outcome(place / "first"), outcome(place / "out-store")
    assert {name for name in first if first[name] != other[name]} <= {"stages"}
