"""Scoring on a Ray cluster gives the bytes of scoring here, also when a worker is lost."""

from __future__ import annotations

import os
import signal
import warnings
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from store_inputs import Interrupting, bytes_of

from grade.errors import InputError
from grade.settings import DEFAULTS, override
from pipelines.engines.engine import find_engine
from pipelines.engines.slices import SliceError, take_slice, write_slice
from pipelines.groups import Ground
from pipelines.partial import partial_folders
from pipelines.places import Remote, place_of, write_frame
from pipelines.progress import Silent
from pipelines.score import ScoreRequest, score
from pipelines.shared_results import Copy
from pipelines.shared_score import score_into
from pipelines.shared_store import ingest_into

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray", reason="needs pip install 'grade[ray]'")

from pipelines.engines import cluster

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SCORING = ("--packs", "packs", "--verdicts", "verdicts.jsonl")


class Telling(Silent):
    """Remembers what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(scope="module")
def address(object_store):
    """A cluster of two workers on this machine, which see an object store."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in object_store.items():
            patched.setenv(name, value)
        with cluster._connected(None, 2):
            yield ray.get_runtime_context().gcs_address


def request(out: str = "there", store: str = "store", batch_runs: int = 8) -> ScoreRequest:
    return ScoreRequest(
        store=place_of(store),
        packs=Path("packs"),
        verdicts=("verdicts.jsonl",),
        out=place_of(out),
        settings=override(DEFAULTS, {"batch_runs": batch_runs}),
        engine=find_engine("ray", out=place_of(out)),
        reuses=False,
    )


def left_beside(out: str) -> list[str]:
    """What workers made and nobody cleared away."""
    place = place_of(out)
    if isinstance(place, Remote):
        return [name for name in place.names() if name.startswith("slices/")]
    return [path.name for path in Path().glob(".grade-*") if "partial" not in path.name]


def test_the_command_joins_a_cluster(grade, few, address):
    cluster_of_two = ("--engine", "ray", "--address", address, "--full")
    done = grade("rescore", "store", *SCORING, "--out", "there", *cluster_of_two)
    assert done.returncode == 0, done.stderr
    assert bytes_of(few / "there") == bytes_of(few / "out")
    assert "scoring: 20 runs in " in done.stderr
    assert "result in there" in done.stderr
    assert "Traceback" not in done.stderr


def dying(marks: Path, n_times: int):
    """Kill the worker the first times that it is given a slice, when it has begun to write."""
    really, kill, own, end = cluster._score_on_worker, os.kill, os.getpid, signal.SIGKILL

    def scored(index, verdicts, shared, name):
        for number in range(n_times):
            try:
                (marks / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            folder = shared.slices / name
            if isinstance(folder, Path):
                folder.mkdir()
            (folder / "runs.parquet").write_bytes(b"PAR1 half")
            kill(own(), end)
        return really(index, verdicts, shared, name)

    return scored


def test_a_lake_is_scored_into_a_lake_and_the_slice_of_a_lost_worker_again(
    lake, address, tmp_path_factory, monkeypatch
):
    """Runs, slices and result lie on an object store, and a worker leaves half a slice."""
    store, out = "s3://lake/stores/june", "s3://lake/results/june"
    ingest_into(["runs"], place_of(store))
    marks = tmp_path_factory.mktemp("marks")
    monkeypatch.setattr(cluster, "_score_on_worker", dying(marks, 1))
    progress = Telling()
    score_into(request(out, store), progress=progress)
    assert len(list(marks.iterdir())) == 1
    lost = [text for text in progress.said if text.startswith("a worker was lost (WorkerCrashedError)")]
    assert len(lost) == 1
    assert bytes_of(Copy(place_of(out)).whole()) == bytes_of(lake / "out")
    assert left_beside(out) == []


@pytest.mark.usefixtures("few")
def test_a_slice_that_kills_every_worker_stops_the_command(address, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(cluster, "_TRIES", 2)
    monkeypatch.setattr(cluster, "_score_on_worker", dying(tmp_path_factory.mktemp("marks"), 1_000))
    with pytest.raises(cluster.ClusterError, match=r"lost the workers of .* runs 2 times"):
        score(request(batch_runs=100), progress=Silent())
    assert not Path("there").exists()
    assert left_beside("there") == []


def test_what_is_finished_when_the_user_stops_is_taken_up_and_the_result_is_that_of_this_process(
    many, address
):
    with pytest.raises(KeyboardInterrupt):
        score(request(), progress=Interrupting(2))
    assert len(partial_folders(Path("there"))) == 1
    assert left_beside("there") == []
    outcome = score(replace(request(), reuses=True), progress=Silent())
    assert outcome.n_groups == 28
    assert 0 < outcome.n_reused < 28
    assert bytes_of(many / "there") == bytes_of(many / "out")
    assert left_beside("there") == []


def test_a_worker_that_does_not_see_a_folder_says_which(tmp_path):
    def on_worker(parts: Path, slices: Path) -> None:
        shared = cluster._Shared(Ground(parts, None, None), slices, cluster._program())
        cluster._score_on_worker(None, None, shared, "000000-1")

    with pytest.raises(InputError, match="a worker does not see the store"):
        on_worker(tmp_path / "elsewhere", tmp_path)
    with pytest.raises(SliceError, match=r"does not see the place[\s\S]*elsewhere[\s\S]*s3://BUCKET/PREFIX"):
        on_worker(tmp_path, tmp_path / "elsewhere")


def test_a_slice_that_is_not_whole_is_not_taken(tmp_path):
    tables = {"one": pl.DataFrame({"a": [1, 2]}), "two": pl.DataFrame({"b": ["x"]})}
    made = write_slice(tables, tmp_path, "000000-1")
    assert (made.name, dict(made.n_rows)) == ("000000-1", {"one": 2, "two": 1})
    write_frame(tables["one"].head(1), tmp_path / "000000-1" / "one.parquet")
    with pytest.raises(SliceError, match="is not what is there"):
        take_slice(made, tmp_path)
    (tmp_path / "000000-1" / "two.parquet").unlink()
    with pytest.raises(SliceError, match="cannot be read"):
        take_slice(made, tmp_path)
    with pytest.raises(SliceError, match="cannot write"):
        write_slice(tables, tmp_path, "nowhere/000001-1")


def test_a_fault_of_a_part_is_told_as_by_the_local_engine(few, address):
    for part in (few / "store").glob("part-*.parquet"):
        part.write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="a part of the store cannot be read"):
        score(request(), progress=Silent())


@pytest.mark.usefixtures("few")
def test_a_worker_with_another_program_scores_nothing(address, monkeypatch):
    monkeypatch.setattr(cluster, "_program", lambda: ("grade 0.0.0",))
    with pytest.raises(cluster.ClusterError, match="another version of grade"):
        score(request(), progress=Silent())


def test_a_cluster_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    for address in ("127.0.0.1:9", "nowhere"):
        with (
            pytest.raises(cluster.ClusterError, match=f"cannot be reached\n  where: {address}"),
            cluster._connected(address, None),
        ):
            pass
