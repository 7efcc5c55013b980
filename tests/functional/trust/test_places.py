"""Only what is named is read, and only below --out is written, whatever names and links say."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from small_inputs import run, task, write_inputs, write_lines

SCORE = ("score", "runs", "--packs", "packs", "--out", "out")


@pytest.mark.parametrize("name", ["data.csv", "more.jsonl", "table.parquet"])
def test_a_link_out_of_the_packs_stops_by_name(grade, inputs, name):
    secret = write_lines(inputs / "secret" / name, [task("T-9")])
    (inputs / "packs" / "small" / name).symlink_to(secret)
    finished = grade(*SCORE)
    assert finished.returncode == 2
    assert f"packs/small/{name}" in finished.stderr
    assert "a link that leads out of the folder" in finished.stderr
    assert not (inputs / "out").exists()


def test_a_folder_behind_a_link_is_not_entered(grade, inputs):
    write_lines(inputs / "secret" / "tasks.jsonl", [task("T-9")])
    (inputs / "packs" / "linked").symlink_to(inputs / "secret", target_is_directory=True)
    (inputs / "runs" / "loop").symlink_to(inputs / "runs", target_is_directory=True)
    assert grade(*SCORE).returncode == 0
    assert pl.read_parquet(inputs / "out" / "tasks.parquet")["task_id"].to_list() == ["T-1", "T-2"]
    assert pl.read_parquet(inputs / "out" / "runs.parquet").height == 20


@pytest.mark.slow
def test_files_that_tasks_and_answers_name_are_never_opened(grade, inputs):
    """They are compared as texts: what lies outside the pack changes nothing and is no input."""
    ways = ["../../secret.csv", "/etc/passwd", str(inputs / "secret.csv"), "students.csv"]
    write_lines(inputs / "packs" / "small" / "tasks.jsonl", [task("T-1", allowed_inputs=ways)])
    cited = [{"citation_text": way, "source_file": way, "source_column": "root"} for way in ways]
    write_lines(inputs / "runs" / "runs.jsonl", [run(0, evidence_citations=cited)])
    outcomes = []
    for text in (None, "root,other\nSCH-001,1\n"):
        if text is not None:
            (inputs / "secret.csv").write_text(text)
        assert grade(*SCORE, "--full").returncode == 0
        outcomes.append(pl.read_parquet(inputs / "out" / "citation_checks.parquet").rows())
    assert outcomes[0] == outcomes[1]
    manifest = json.loads((inputs / "out" / "manifest.json").read_text())
    names = [one["name"] for kind in manifest["inputs"].values() for one in kind["files"]]
    assert names == ["packs/small/tasks.jsonl", "runs/runs.jsonl"]


@pytest.mark.slow
def test_names_with_the_marks_of_patterns_are_names(command, tmp_path):
    """A result, a pack or a file may be called anything that a folder may be called."""
    folder = write_inputs(tmp_path / "a [1]*? b")
    odd = "o[1]*? {x} #%41 out"
    shutil.move(folder / "packs", folder / "p[a]ck?")
    shutil.move(folder / "runs", folder / "r*ns [0-9]")
    data = folder / "p[a]ck?" / "small" / "d[1]ta.parquet"
    pl.DataFrame({"school": ["SCH-001"]}).write_parquet(data)
    arguments = ("r*ns [0-9]/runs.jsonl", "--packs", "p[a]ck?", "--out", odd)
    finished = command(folder, "score", *arguments)
    assert finished.returncode == 0, finished.stderr
    for arguments in (
        ("verify", odd),
        ("export", odd, "--to", "csv", "--out", "[csv]"),
        ("sql", odd, "SELECT count(*) AS n FROM runs"),
    ):
        finished = command(folder, *arguments)
        assert finished.returncode == 0, (arguments, finished.stderr)
    names = {path.name for path in folder.iterdir()}
    assert names == {"p[a]ck?", "r*ns [0-9]", "verdicts.jsonl", odd, "[csv]"}


def test_a_huge_cell_in_the_data_of_a_pack_is_read(grade, inputs):
    data = inputs / "packs" / "small" / "wide.csv"
    data.write_text("a," + "x" * 200_000 + "\n1,2\n")
    finished = grade(*SCORE)
    assert finished.returncode == 0, finished.stderr


def test_nothing_is_left_outside_the_output_folder(grade, inputs):
    before = {path for path in inputs.rglob("*") if path.is_file()}
    assert grade(*SCORE).returncode == 0
    after = {path for path in inputs.rglob("*") if path.is_file()}
    assert all(path.is_relative_to(inputs / "out") for path in after - before)
    assert before <= after
