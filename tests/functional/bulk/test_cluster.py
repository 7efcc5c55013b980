"""Scoring on a Ray cluster gives the bytes of scoring here, also when a worker is lost."""

from __future__ import annotations

import os
import signal
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from object_store import serving
from small_inputs import run, write_lines
from store_inputs import Interrupting, bytes_of, rescore

from grade.errors import InputError
from grade.settings import DEFAULTS, override
from pipelines.engines.engine import find_engine
from pipelines.groups import Ground
from pipelines.partial import partial_folders
from pipelines.places import place_of
from pipelines.progress import Silent
from pipelines.score import ScoreRequest, score
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
def address():
    """A cluster of two workers, each a node of its own."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patched, serving() as environment:
        for name, value in environment.items():
            patched.setenv(name, value)
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        try:
            for _ in range(2):
                made.add_node(num_cpus=1)
            with cluster._connected(made.address, None):
                yield made.address
        finally:
            made.shutdown()


def request(address: str, out: str = "there", store: str = "store") -> ScoreRequest:
    return ScoreRequest(
        store=place_of(store),
        packs=Path("packs"),
        verdicts=("verdicts.jsonl",),
        out=Path(out),
        settings=override(DEFAULTS, {"batch_runs": 4}),
        engine=find_engine("ray", address=address),
        reuses=False,
    )


def test_the_result_of_two_workers_is_that_of_this_process(many, address):
    before = bytes_of(many / "out")
    outcome = score(request(address), progress=Silent())
    assert outcome.n_groups == 28
    assert bytes_of(many / "there") == before


def test_the_command_joins_a_cluster(grade, few, address):
    cluster_of_two = ("--engine", "ray", "--address", address, "--full")
    done = grade("rescore", "store", *SCORING, "--out", "there", *cluster_of_two)
    assert done.returncode == 0, done.stderr
    assert bytes_of(few / "there") == bytes_of(few / "out")


def test_a_store_on_an_object_store_is_read_by_the_workers(many, address):
    ingest_into(["runs", "more.jsonl"], place_of("s3://lake/many"))
    score(request(address, store="s3://lake/many"), progress=Silent())
    assert bytes_of(many / "there") == bytes_of(many / "out")


def dying(marks: Path, n_times: int):
    """Kill the worker the first times that it is given a slice."""
    really, kill, own, end = cluster._score_on_worker, os.kill, os.getpid, signal.SIGKILL

    def scored(*arguments: object):
        for number in range(n_times):
            try:
                (marks / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            kill(own(), end)
        return really(*arguments)

    return scored


def test_the_slice_of_a_lost_worker_is_scored_again(many, address, tmp_path_factory, monkeypatch):
    marks = tmp_path_factory.mktemp("marks")
    monkeypatch.setattr(cluster, "_score_on_worker", dying(marks, 2))
    progress = Telling()
    score(request(address), progress=progress)
    assert len(list(marks.iterdir())) == 2
    lost = [text for text in progress.said if text.startswith("a worker was lost (WorkerCrashedError)")]
    assert len(lost) == 2
    assert bytes_of(many / "there") == bytes_of(many / "out")


@pytest.mark.usefixtures("many")
def test_a_slice_that_kills_every_worker_stops_the_command(address, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(cluster, "_TRIES", 2)
    monkeypatch.setattr(cluster, "_score_on_worker", dying(tmp_path_factory.mktemp("marks"), 1_000))
    with pytest.raises(cluster.ClusterError, match=r"lost the workers of .* runs 2 times"):
        score(request(address), progress=Silent())
    assert not Path("there").exists()


def test_groups_as_before_are_taken_here(many, address):
    write_lines(Path("new.jsonl"), [run(7)])
    ingest_into(["new.jsonl"], Path("store"))
    rescore("whole", reuses=False)
    outcome = score(replace(request(address, out="out"), reuses=True), progress=Silent())
    assert (outcome.n_reused, outcome.n_groups) == (27, 28)
    assert bytes_of(many / "out") == bytes_of(many / "whole")


def test_what_is_finished_when_the_user_stops_is_taken_up(many, address):
    with pytest.raises(KeyboardInterrupt):
        score(request(address), progress=Interrupting(3))
    assert len(partial_folders(Path("there"))) == 1
    outcome = score(replace(request(address), reuses=True), progress=Silent())
    assert 0 < outcome.n_reused < 28
    assert bytes_of(many / "there") == bytes_of(many / "out")


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path):
    ground = Ground(tmp_path / "elsewhere", None, None)
    with pytest.raises(InputError, match="a worker does not see the store"):
        cluster._score_on_worker(None, None, ground, cluster._program())


def test_a_fault_of_a_part_is_told_as_by_the_local_engine(many, address):
    for part in (many / "store").glob("part-*.parquet"):
        part.write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="a part of the store cannot be read"):
        score(request(address), progress=Silent())


def test_a_worker_with_another_program_scores_nothing(many, address, monkeypatch):
    del many
    monkeypatch.setattr(cluster, "_program", lambda: ("grade 0.0.0",))
    with pytest.raises(cluster.ClusterError, match="another version of grade"):
        score(request(address), progress=Silent())


def test_the_command_begins_a_cluster_of_its_own(grade, few):
    done = grade("rescore", "store", *SCORING, "--out", "there", "--engine", "ray", "--threads", "2")
    assert done.returncode == 0, done.stderr
    assert bytes_of(few / "there") == bytes_of(few / "out")
    assert "scoring: 20 runs in " in done.stderr
    assert "result in there" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_that_does_not_answer_is_told(grade, few):
    assert few.exists()
    nowhere = grade(
        "rescore", "store", *SCORING, "--out", "there", "--engine", "ray", "--address", "127.0.0.1:9"
    )
    assert nowhere.returncode == 2
    assert "the cluster cannot be reached\n  where: 127.0.0.1:9" in nowhere.stderr
    assert "Traceback" not in nowhere.stderr
    assert not Path("there").exists()
