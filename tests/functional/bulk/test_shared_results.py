"""A result on an object store: whole or not at all, the bytes of a folder's, and read by every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace

import polars as pl
import pytest
from small_inputs import run, write_lines
from store_inputs import Interrupting, bytes_of

from grade.errors import InputError, OutputError
from grade.settings import DEFAULTS
from pipelines import shared_results
from pipelines.desk.folder import open_result
from pipelines.exports import registry
from pipelines.places import Remote, place_of
from pipelines.progress import Silent
from pipelines.score import ScoreRequest
from pipelines.shared_results import Copy, Current, publishing
from pipelines.shared_score import score_into

pytest.importorskip("moto")

OUT = "s3://lake/results/june"
SCORING = ("--packs", "packs", "--verdicts", "verdicts.jsonl", "--quiet")


def request(out: str, **options: object) -> ScoreRequest:
    given = {"runs": ("runs",), "packs": Path("packs"), "verdicts": ("verdicts.jsonl",), "settings": DEFAULTS}
    return ScoreRequest(**{**given, "out": place_of(out), **options})


def score(out: str, **options: object):
    return score_into(request(out, **options), progress=Silent())


def versions() -> set[str]:
    return {name.split("/")[1] for name in place_of(OUT).names() if name.startswith("versions/")}


def put(folder: Path) -> None:
    """Have a folder stand at OUT."""
    with publishing(place_of(OUT)) as (_, draft):
        shutil.copytree(folder, draft, dirs_exist_ok=True)


@pytest.fixture
def there(lake) -> Path:
    """The working folder with small inputs, and their result in `out` and at OUT."""
    put(lake / "out")
    return lake


def test_a_result_is_the_same_bytes_as_in_a_folder_and_known_by_its_inputs(lake, command):
    """From a store there to a result there, which is verified, and reviewed by a person."""
    assert command("ingest", "runs", "--store", "s3://lake/store", "--quiet").code == 0
    assert command("rescore", "s3://lake/store", *SCORING, "--out", OUT).code == 0
    copy = Copy(place_of(OUT))
    assert bytes_of(copy.whole()) == bytes_of(lake / "out")
    manifest = json.loads((copy.folder / "manifest.json").read_bytes())
    assert manifest["inputs"]["packs"]["paths"] == [(lake / "packs").as_posix()]
    assert manifest["inputs"]["runs"]["paths"] == ["s3://lake/store"]
    assert manifest["inputs"]["runs"]["files"][0]["path"].startswith(lake.as_posix())
    code, out, told = command("verify", OUT, "--quiet")
    assert (code, out[-16:]) == (0, "nothing differs\n"), told
    assert command("review", "queue", OUT, "--out", "queue.jsonl", "--limit", "1")[0] == 0
    rows = pl.read_ndjson("queue.jsonl").with_columns(score=pl.lit("pass"))
    assert rows["results"].to_list() == [OUT]
    rows.write_ndjson("queue.jsonl")
    code, out, told = command("review", "apply", "queue.jsonl", "--name", "me", "--quiet")
    assert (code, "decisions changed" in out) == (0, True), told
    assert "human:me" in open_result(place_of(OUT)).frame("verdicts")["judge_id"].to_list()


def test_what_has_not_changed_is_taken_from_the_earlier_result(there):
    write_lines(there / "runs" / "new.jsonl", [run(7)])
    outcome = score(OUT)
    assert (outcome.n_reused, outcome.n_groups, str(outcome.out)) == (3, 4, OUT)
    score("fresh", reuses=False)
    assert bytes_of(Copy(place_of(OUT)).whole()) == bytes_of(there / "fresh")


def test_a_damaged_earlier_result_is_not_taken_from(there):
    version = Current.read(place_of(OUT)).version
    (place_of(OUT) / f"versions/{version}/fact_checks.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="not what was written"):
        open_result(place_of(OUT)).frame("fact_checks")
    assert score(OUT).n_reused == 0
    assert bytes_of(Copy(place_of(OUT)).whole()) == bytes_of(there / "out")


def test_who_reads_while_the_result_is_replaced_reads_one_of_the_two(there):
    reader = open_result(place_of(OUT))
    runs = reader.path.parent / "new" / "runs.parquet"
    shutil.copytree(there / "out", runs.parent)
    pl.read_parquet(runs).head(3).write_parquet(runs)
    put(runs.parent)
    assert len(versions()) == 2
    assert reader.frame("runs").height == 20
    assert open_result(place_of(OUT)).frame("runs").height == 3
    late = open_result(place_of(OUT))
    put(there / "out")
    put(there / "out")
    assert len(versions()) == 2
    with pytest.raises(InputError, match="begin again"):
        late.whole()


def test_a_failure_leaves_the_earlier_result_and_nothing_else(there, monkeypatch):
    before = place_of(OUT).names()
    with pytest.raises(KeyboardInterrupt):
        score_into(request(OUT, reuses=False), progress=Interrupting(1))
    really = Remote.upload

    def refused(place: Remote, path: Path) -> None:
        if path.name == "run_scores.parquet":
            raise OSError("no more room")
        really(place, path)

    monkeypatch.setattr(Remote, "upload", refused)
    with pytest.raises(OutputError, match="the object store refuses"):
        put(there / "out")
    assert place_of(OUT).names() == before


def test_two_who_replace_one_result_cannot_both_believe_they_did(there):
    with pytest.raises(OutputError, match="somebody else replaced"), publishing(place_of(OUT)) as (_, folder):
        (folder / "manifest.json").write_text("{}")
        put(there / "out")
    assert open_result(place_of(OUT)).frame("runs").height == 20


def test_what_killed_attempts_left_goes_away_with_the_next_result(there):
    for name in ("versions/" + "a" * 32 + "/runs.parquet", "slices/" + "b" * 32 + "/000001-1/runs.parquet"):
        (place_of(OUT) / name).write_bytes(b"half")
    old = Current.read(place_of(OUT)).version
    put(there / "out")
    assert versions() == {old, Current.read(place_of(OUT)).version}
    assert not any(name.startswith("slices/") for name in place_of(OUT).names())


@pytest.mark.usefixtures("lake")
def test_foreign_objects_are_refused_and_stay():
    (place_of(OUT) / "notes.txt").write_bytes(b"mine")
    with pytest.raises(OutputError, match="not an earlier result") as told:
        score(OUT)
    assert told.value.got == "notes.txt"
    assert place_of(OUT).names() == ["notes.txt"]
    with pytest.raises(OutputError, match="refuses"):
        score("s3://elsewhere/out")


@pytest.mark.usefixtures("lake")
@pytest.mark.parametrize(
    "said",
    ["{}", "nothing", '{"format": "grade-result", "version": "x", "files": {}}']
    + [
        json.dumps({"format": "grade-result", "version": "0" * 32, "files": {name: ""}})
        for name in ("../x", "/x")
    ],
)
def test_what_names_no_version_is_refused(said):
    (place_of(OUT) / "current.json").write_bytes(said.encode())
    with pytest.raises(InputError, match="does not name a version"):
        open_result(place_of(OUT))


TELLING = (
    ("leaderboard", "RESULT"),
    ("scorecard", "RESULT", "--model", "acme/model-a", "--baseline", "RESULT"),
    ("sql", "RESULT", "SELECT count(*) AS n FROM runs", "--format", "csv"),
    ("gate", "RESULT", "--min-status", "fail"),
)
WRITING = (
    ("diff", "out", OUT, "--out", "changes"),
    ("export", OUT, "--to", "csv", "--out", "exported", "--table", "task_scores"),
    ("report", OUT, "--html", "report.html"),
    ("judge", "plan", OUT, "--out", "plan.parquet", "--packs", "packs", "--quiet"),
)


def test_every_command_reads_it_as_a_folder(there, command):
    for arguments in TELLING:
        here, lake = (
            command(*(place if one == "RESULT" else one for one in arguments)) for place in ("out", OUT)
        )
        assert lake.code == 0, lake
        assert lake.stdout.replace(OUT, "out") == here.stdout
    for arguments in WRITING:
        assert command(*arguments).code == 0, arguments
    sought = open_result(place_of(OUT))
    assert sought.dataset("runs").count_rows() == sought.frame("tasks").height * 10
    assert [path.name for path in sorted(sought.path.iterdir())] == ["manifest.json", "tasks.parquet"]
    for name in sought.files:
        assert sought.frame(name, sought.frame(name).columns).equals(
            open_result(there / "out").frame(name)
        ), name
    assert OUT in (there / "changes" / "changes.md").read_text()


def test_a_format_of_another_package_gets_a_folder(there, monkeypatch):
    def write(results: Path, out: Path) -> None:
        out.mkdir()
        shutil.copytree(results, out / "copy")

    plugin = SimpleNamespace(name="theirs", package="theirs 1", load=lambda: write)
    monkeypatch.setattr(registry, "exporters", lambda: (registry.Exporter("theirs", "", plugin),))
    registry.run_export("theirs", place_of(OUT), there / "exported", {})
    assert bytes_of(there / "exported" / "copy") == bytes_of(there / "out")


def test_it_is_decided_where_it_lies(there, command):
    for place in ("out", OUT):
        assert command("decide", place, "--policy", "strict")[0] == 0
    assert bytes_of(Copy(place_of(OUT)).whole()) == bytes_of(there / "out")


@pytest.mark.usefixtures("lake")
def test_what_is_not_there_is_told(command):
    code, _, told = command("leaderboard", OUT)
    assert (code, told.splitlines()[0]) == (2, "there is no such result")
    assert f"where: {OUT}" in told
    assert command("sql", "gs://lake/out", "SELECT 1")[0] == 2
    code, _, told = command("export", "out", "--to", "csv", "--out", "s3://lake/exported")
    assert (code, told.splitlines()[0]) == (2, "this is written to this machine only")
    assert command("report", "out", "--html", "s3://lake/report.html").code == 2
    assert not Path("s3:").exists()


def test_two_tickets_never_stand_at_once(lake, monkeypatch):
    from pipelines.tickets import holding_ticket

    monkeypatch.setattr("pipelines.tickets._LONGEST_S", 0.5)
    place, started, inside, most = place_of(OUT), Barrier(3, timeout=60), [], []

    def work() -> None:
        started.wait()
        for _ in range(2):
            with holding_ticket(place):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6
    assert place.names() == []
    monkeypatch.setattr("pipelines.tickets._TRIES", 2)
    (place / "tickets" / ("c" * 32)).write_bytes(b"killed")
    with pytest.raises(OutputError, match="somebody else is exchanging") as told:
        score(OUT)
    assert told.value.where == f"{OUT}/tickets/{'c' * 32}"
    assert shared_results.Current.read(place).version == ""
