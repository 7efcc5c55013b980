"""A result is derived again from the inputs that it names; what differs is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
import typer
from judge_inputs import KEY, ask, make_plan, score_folder, write_judge_inputs
from judge_server import JudgeServer
from small_inputs import run, write_inputs, write_lines
from typer.testing import CliRunner

from grade.errors import GradeError
from grade.settings import DEFAULTS
from pipelines.commands.verify import verify
from pipelines.demo import demo_request
from pipelines.ingest import ingest
from pipelines.policies import load_policy
from pipelines.progress import Silent
from pipelines.redecide import redecide
from pipelines.score import ScoreRequest, score

app = typer.Typer()
app.command()(verify)


def verified(results: Path, *more: object) -> tuple[int, str]:
    """The exit code, and what was said on stdout or by an error."""
    done = CliRunner().invoke(app, [str(results), "--quiet", *map(str, more)])
    if isinstance(done.exception, GradeError):
        return done.exception.exit_code, done.exception.render()
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout


@pytest.fixture
def place(scored, tmp_path) -> Path:
    """A copy of the small inputs and of their result."""
    return Path(shutil.copytree(scored[0], tmp_path / "place"))


def change(path: Path, **values: object) -> None:
    """Write other values into the first row of a table."""
    frame = pl.read_parquet(path)
    head = frame.head(1).with_columns(pl.lit(value).alias(name) for name, value in values.items())
    pl.concat([head.cast(frame.schema), frame.tail(-1)]).write_parquet(path)


def scored_here(folder: Path, monkeypatch, **request: object) -> Path:
    monkeypatch.chdir(folder)
    given = {"packs": Path("packs"), "out": Path("out"), "settings": DEFAULTS} | request
    score(ScoreRequest(**given), progress=Silent())
    return folder / "out"


def test_a_result_is_what_its_inputs_give(place):
    code, said = verified(place / "out")
    assert (code, said) == (0, "all 30 files are what the 3 input files give: nothing differs\n"), said


def test_a_score_that_was_changed_is_named_with_both_values(place):
    change(place / "out" / "fact_checks.parquet", score=0.0, matched=False)
    code, said = verified(place / "out")
    assert code == 1
    assert said.splitlines() == [
        "fact_checks.parquet: 1 of 20 rows differ",
        "  model_id=acme/model-a task_id=T-1 run_index=0 fact_id=F1: score 0.0, derived 1.0",
        "  model_id=acme/model-a task_id=T-1 run_index=0 fact_id=F1: matched false, derived true",
        "1 of 30 files differ from what the inputs give",
    ]


def test_rows_that_were_dropped_or_doubled_are_told(place):
    path = place / "out" / "run_scores.parquet"
    frame = pl.read_parquet(path)
    pl.concat([frame.tail(-1), frame.tail(1)]).write_parquet(path)
    code, said = verified(place / "out")
    assert code == 1
    assert "run_scores.parquet: 2 of 121 rows differ" in said
    assert "no such row, derived a row" in said
    assert "a row, derived no such row" in said


def test_texts_tables_counts_and_strange_files_are_told(place):
    out = place / "out"
    report = out / "leaderboard.md"
    report.write_text(report.read_text().replace("acme/model-a", "acme/model-x"))
    pl.read_parquet(out / "runs.parquet").drop("track").write_parquet(out / "runs.parquet")
    (out / "findings.parquet").write_bytes(b"PAR1")
    (out / "extra.txt").write_text("more")
    (out / "scorecards" / next((out / "scorecards").iterdir()).name).unlink()
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["stages"]["read_runs"]["made"]["runs"] = 21
    (out / "manifest.json").write_text(json.dumps(manifest))
    code, said = verified(out, "--rows", 1)
    assert code == 1
    assert "extra.txt: the inputs do not give such a file" in said
    assert "missing; the inputs give it" in said
    assert "runs.parquet: other columns: track" in said
    assert "findings.parquet: cannot be read" in said
    assert "leaderboard.md: " in said
    assert "stages.read_runs.made.runs: 21, derived 20" in said


def test_the_same_rows_in_other_bytes_are_no_difference(place):
    path = place / "out" / "verdicts.parquet"
    pl.read_parquet(path).write_parquet(path, compression="gzip")
    assert verified(place / "out")[0] == 0


def test_an_input_that_changed_or_went_away_ends_with_2_by_name(place):
    with (place / "runs" / "runs.jsonl").open("a") as file:
        file.write("\n")
    (place / "verdicts.jsonl").unlink()
    code, said = verified(place / "out")
    assert code == 2
    assert "runs/runs.jsonl: other content" in said
    assert "verdicts.jsonl: missing" in said
    assert "packs" not in said


def test_inputs_are_found_by_name_or_content_wherever_they_went(place):
    shelf = place.parent / "shelf"
    shelf.mkdir()
    shutil.move(place / "runs", shelf / "runs")
    shutil.move(place / "verdicts.jsonl", shelf / "renamed.data")
    shutil.move(place / "packs", shelf / "deep")
    assert verified(place / "out")[0] == 2
    assert verified(place / "out", "--inputs", shelf)[0] == 0
    assert verified(place / "out", "--inputs", place / "nowhere")[0] == 2


def test_a_result_moves_with_its_inputs(place):
    moved = place.parent / "elsewhere"
    place.rename(moved)
    assert verified(moved / "out")[0] == 0


def test_names_order_and_refused_records_are_those_of_the_first_time(tmp_path, monkeypatch):
    folder = write_inputs(tmp_path)
    twin = (folder / "runs" / "runs.jsonl").read_text()
    (folder / "runs" / "again.jsonl").write_text(twin)
    write_lines(folder / "runs" / "odd.jsonl", ["{", run(9, task_id="T-9")])
    (folder / "runs" / "out.jsonl").symlink_to(folder / "verdicts.jsonl")
    (folder / "runs" / "gone.jsonl").symlink_to(folder / "runs" / "nothing.jsonl")
    out = scored_here(folder, monkeypatch, runs=("runs",), verdicts=("verdicts.jsonl",))
    assert pl.read_parquet(out / "rejects.parquet")["reason"].sort().to_list() == [
        "outside_folder",
        "truncated",
        "unknown_task",
        "unreadable_file",
    ]
    code, said = verified(out)
    assert code == 0, said


def test_packs_are_named_as_the_first_time(tmp_path, monkeypatch):
    folder = write_inputs(tmp_path)
    shutil.copytree(folder / "packs" / "small", folder / "algebra")
    for packs in ("packs/small/tasks.jsonl", "algebra", "algebra/tasks.jsonl", "./packs"):
        out = scored_here(folder, monkeypatch, runs=("runs",), packs=Path(packs))
        code, said = verified(out)
        assert code == 0, (packs, said)
    monkeypatch.chdir(folder / "algebra")
    request = ScoreRequest(runs=("../runs",), packs=Path(), out=Path("../out"), settings=DEFAULTS)
    score(request, progress=Silent())
    assert verified(folder / "out")[0] == 0


def test_a_result_of_a_store_is_verified_against_the_files_that_were_added(tmp_path, monkeypatch):
    folder = write_inputs(tmp_path)
    first = [run(0), run(1), run(2)]
    write_lines(folder / "a.jsonl", first)
    write_lines(folder / "b.jsonl", [run(1), run(2, key_findings=["Other."]), run(3), "{"])
    write_lines(folder / "c.jsonl", [run(0, key_findings=["Newer."])])
    monkeypatch.chdir(folder)
    for path, replaces in (("a.jsonl", False), ("b.jsonl", False), ("c.jsonl", True)):
        ingest([path], Path("store"), replaces=replaces)
    out = scored_here(folder, monkeypatch, store=Path("store"))
    assert pl.read_parquet(out / "runs.parquet").height == 4
    assert pl.read_parquet(out / "rejects.parquet").height == 2
    shutil.rmtree("store")
    monkeypatch.chdir("/")
    code, said = verified(out)
    assert code == 0, said
    (folder / "b.jsonl").unlink()
    assert verified(out)[0] == 2


@pytest.fixture
def judged(tmp_path, monkeypatch) -> Path:
    """A folder whose result rests on a verdict store and on a file of verdicts."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    folder = write_judge_inputs(tmp_path / "judged")
    score_folder(folder)
    make_plan(folder)
    with JudgeServer() as server:
        ask(folder, server.url)
    key = {"model_id": "acme/brisk-1", "task_id": "T-1", "run_index": 0, "judge_id": "human:kim"}
    write_lines(folder / "v.jsonl", [key | {"dimension": "evidence_linkage", "score": "fail"}])
    monkeypatch.chdir(folder)
    scored_here(folder, monkeypatch, runs=("runs",), verdicts=("store", "v.jsonl"))
    return folder


def test_a_result_of_a_verdict_store_is_verified_against_the_store(judged, monkeypatch):
    verdicts = pl.read_parquet(judged / "out" / "verdicts.parquet")
    assert set(verdicts["file"]) == {"store", "v.jsonl"}
    monkeypatch.chdir("/")
    code, said = verified(judged / "out")
    assert (code, said[:4]) == (0, "all "), said
    change(judged / "out" / "verdicts.parquet", reasoning="Other.")
    assert verified(judged / "out")[0] == 1


def test_a_verdict_store_may_have_grown_since(judged, monkeypatch):
    (part,) = (judged / "store" / "parts").iterdir()
    grown = pl.read_parquet(part).with_columns(verdict_key=pl.col("verdict_key").str.reverse())
    grown.with_columns(judge_id=pl.lit("another")).write_parquet(part.with_name("part-later.parquet"))
    code, said = verified(judged / "out")
    assert code == 0, said
    scored_here(judged, monkeypatch, runs=("runs",), verdicts=("store",))
    assert "another" in set(pl.read_parquet(judged / "out" / "verdicts.parquet")["judge_id"])


def test_a_verdict_store_that_was_changed_or_moved_is_told_or_found(judged):
    shutil.move(judged / "store", judged.parent / "shelf" / "store")
    code, said = verified(judged / "out")
    assert code == 2
    assert "store/judge-store.json: missing" in said
    assert verified(judged / "out", "--inputs", judged.parent / "shelf")[0] == 0
    (part,) = (judged.parent / "shelf" / "store" / "parts").iterdir()
    part.write_bytes(part.read_bytes() + b" ")
    assert verified(judged / "out", "--inputs", judged.parent / "shelf")[0] == 2


def test_a_decision_by_another_policy_and_its_history_are_derived_too(place):
    redecide(place / "out", load_policy("strict"))
    code, said = verified(place / "out")
    assert code == 0, said
    change(place / "out" / "decisions.parquet", status="pass")
    assert verified(place / "out")[0] == 1


def test_settings_are_those_of_the_result(tmp_path, monkeypatch):
    from grade.settings import override

    folder = write_inputs(tmp_path)
    settings = override(DEFAULTS, {"confidence_threshold": 0.95, "max_entries": 1})
    out = scored_here(folder, monkeypatch, runs=("runs",), settings=settings)
    assert pl.read_parquet(out / "runs.parquet").height < 20
    assert verified(out)[0] == 0


def test_another_program_or_engine_is_told(place):
    path = place / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(
        json.dumps(manifest | {"code_sha256": "0" * 64, "versions": manifest["versions"] | {"polars": "9.9"}})
    )
    done = CliRunner().invoke(app, [str(place / "out")])
    assert done.exit_code == 0
    assert "made by another version of grade" in done.stderr
    assert "polars 9.9" in done.stderr


def test_a_manifest_cannot_write_outside_the_temporary_folder(place):
    path = place / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["inputs"]["packs"]["given"] = ["somewhere"]
    manifest["inputs"]["packs"]["files"][0]["name"] = "../../escape.jsonl"
    path.write_text(json.dumps(manifest))
    code, said = verified(place / "out")
    assert code == 2
    assert "outside" in said
    assert not list(place.parent.rglob("escape.jsonl"))


@pytest.mark.parametrize("part", ["inputs", "method"])
def test_a_manifest_that_says_too_little_ends_with_2(place, part):
    path = place / "out" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), part: {}}))
    code, said = verified(place / "out")
    assert code == 2
    assert "score again" in said


def test_no_result_ends_with_2(tmp_path):
    assert verified(tmp_path / "nothing")[0] == 2


@pytest.mark.slow
def test_the_demo_is_verified_from_the_data_that_ship(tmp_path):
    score(demo_request(tmp_path / "demo"), progress=Silent())
    manifest = json.loads((tmp_path / "demo" / "manifest.json").read_text())
    names = [one["name"] for source in manifest["inputs"].values() for one in source["files"]]
    assert all(name.startswith(("packs/", "runs/", "verdicts/")) for name in names)
    (tmp_path / "far" / "away").mkdir(parents=True)
    moved = (tmp_path / "demo").rename(tmp_path / "far" / "away" / "demo")
    code, said = verified(moved)
    assert code == 0, said
