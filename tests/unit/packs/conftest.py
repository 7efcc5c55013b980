"""The shipped packs, a fresh build of them, and what the simulated models answered."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
import zstandard

from grade.gold import build_gold
from pipelines.batch import score_batch
from pipelines.catalogue import load_catalogue
from pipelines.packs.build import build_packs
from pipelines.packs.files import jsonl_bytes, read_table
from pipelines.reading import read_runs, read_verdicts
from pipelines.simulate.build import build_runs

SHIPPED = Path(__file__).parents[3] / "data"
SEED = 42


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A folder with packs built from the seed that ships."""
    folder = tmp_path_factory.mktemp("packs")
    build_packs(SEED, folder)
    return folder


@pytest.fixture(scope="session")
def simulated(built, tmp_path_factory):
    """A folder with runs and verdicts simulated on the fresh packs."""
    folder = tmp_path_factory.mktemp("simulated")
    build_runs(built, folder, SEED)
    return folder


@pytest.fixture
def packs(built, tmp_path):
    """A copy of the fresh packs that a test may spoil."""
    return shutil.copytree(built, tmp_path / "packs")


@pytest.fixture(scope="session")
def tasks(built):
    """All tasks of the shipped packs."""
    return [task for path in sorted(built.glob("*/tasks.jsonl")) for task in _read_lines(path)]


@pytest.fixture(scope="session")
def tables(built):
    """All tables of the shipped packs, by name."""
    return {path.stem: read_table(path) for path in sorted(built.glob("*/*.csv"))}


@pytest.fixture(scope="session")
def score(tmp_path_factory):
    """The scorer, from records to rows: score(tasks, runs, verdicts) -> rows by table."""

    def run(tasks, runs, verdicts):
        folder = tmp_path_factory.mktemp("scored")
        records = {"packs/tasks.jsonl": tasks, "runs.jsonl": runs, "verdicts.jsonl": verdicts}
        (folder / "packs").mkdir()
        for name, values in records.items():
            (folder / name).write_bytes(jsonl_bytes(values))
        catalogue = load_catalogue(folder / "packs")
        read = read_runs((str(folder / "runs.jsonl"),), catalogue=catalogue)
        judged = read_verdicts((str(folder / "verdicts.jsonl"),), runs=read.runs, catalogue=catalogue)
        assert read.rejects.is_empty()
        assert judged.rejects.is_empty()
        gold = build_gold(catalogue.tasks)
        made = score_batch(read.runs, judged.verdicts, gold=gold, catalogue=catalogue)
        return {name: frame.to_dicts() for name, frame in made._asdict().items()}

    return run


@pytest.fixture(scope="session")
def shipped():
    """The folder of the data that ships."""
    return SHIPPED


@pytest.fixture(scope="session")
def plain():
    """The content of a file, unpacked."""
    return _plain


@pytest.fixture(scope="session")
def read_lines():
    """The records of a JSON Lines file, compressed or not."""
    return _read_lines


@pytest.fixture(scope="session")
def answer():
    """A run that says just this: answer(task_id, findings, limitations)."""
    return _answer


def _read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in _plain(path).decode().splitlines()]


def _plain(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    return zstandard.ZstdDecompressor().decompress(data) if path.suffix == ".zst" else data


def _answer(task_id: str, findings: list[str], limitations: list[str], *, model: str = "m") -> dict:
    return {
        "task_id": task_id,
        "model_id": model,
        "run_index": 0,
        "structured_metrics": {},
        "key_findings": findings,
        "limitations": limitations,
        "evidence_citations": [],
        "runtime_metadata": {
            "adapter_version": "1",
            "timestamp_utc": "2026-01-12T08:00:00Z",
            "latency_ms": 1.0,
        },
        "raw_response_text": None,
    }
