"""What a user's paths name, each file once, and nothing outside."""

from __future__ import annotations

import os

import pytest

from grade.errors import InputError
from pipelines.files import RUN_SUFFIXES, find_files


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (
        "runs/b.jsonl",
        "runs/a.json",
        "runs/deep/c.NDJSON.gz",
        "runs/d.parquet",
        "runs/e.jsonl.zst",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    for name in ("runs/notes.txt", "runs/.hidden.jsonl", "runs/.cache/f.jsonl", "runs/deep/results.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return tmp_path


def names(*paths):
    return [found.name for found in find_files(paths, suffixes=RUN_SUFFIXES)]


ALL = ["runs/a.json", "runs/b.jsonl", "runs/d.parquet", "runs/deep/c.NDJSON.gz", "runs/e.jsonl.zst"]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["runs"], ALL),
        (["runs/"], ALL),
        (["runs/b.jsonl"], ["runs/b.jsonl"]),
        (["runs/*.json*"], ["runs/a.json", "runs/b.jsonl", "runs/e.jsonl.zst"]),
        (["runs/**/*.gz"], ["runs/deep/c.NDJSON.gz"]),
        (["r*"], ALL),
        (["runs", "runs/b.jsonl", "./runs/deep/../b.jsonl"], ALL),
        (["runs/d*"], ["runs/d.parquet", "runs/deep/c.NDJSON.gz"]),
    ],
)
def test_files_folders_and_patterns(paths, expected):
    assert names(*paths) == expected


def test_the_ending_behind_the_compression_is_known(place):
    [found] = find_files([str(place / "runs/deep/c.NDJSON.gz")], suffixes=RUN_SUFFIXES)
    assert found.suffix == ".ndjson"
    assert found.name == (place / "runs/deep/c.NDJSON.gz").as_posix()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("runs/bb.jsonl", "did you mean b.jsonl"),
        ("away/x.jsonl", "no such file"),
        ("runs/*.xml", "matches no file"),
        ("runs/notes.txt", "kind"),
        ("runs/.cache/g*", "matches no file"),
    ],
)
def test_a_path_that_names_nothing_stops(path, message):
    with pytest.raises(InputError, match=message):
        names("runs/a.json", path)


def test_a_folder_without_runs_stops(place):
    (place / "empty").mkdir()
    with pytest.raises(InputError, match="no file to read"):
        names("empty")


def test_a_name_with_pattern_marks_is_a_name_if_there_is_such_a_file(place):
    (place / "runs" / "[x].jsonl").write_bytes(b"")
    assert names("runs/[x].jsonl") == ["runs/[x].jsonl"]


def test_a_link_out_of_the_folder_is_found_with_a_fault(place):
    (place / "secret.jsonl").write_text("secret")
    (place / "runs" / "link.jsonl").symlink_to(place / "secret.jsonl")
    (place / "runs" / "inner.jsonl").symlink_to(place / "runs" / "b.jsonl")
    (place / "runs" / "gone.jsonl").symlink_to(place / "runs" / "nothing.jsonl")
    (place / "runs" / "loop").symlink_to(place / "runs")
    found = {one.name: one.fault and one.fault.reason for one in find_files(["runs"], suffixes=RUN_SUFFIXES)}
    assert found["runs/link.jsonl"] == "outside_folder"
    assert found["runs/gone.jsonl"] == "unreadable_file"
    assert found["runs/b.jsonl"] is None
    assert "runs/inner.jsonl" not in found
    assert not any("loop" in name for name in found)


def test_a_pipe_in_a_folder_is_not_waited_for(place):
    os.mkfifo(place / "runs" / "pipe.jsonl")
    found = {one.name: one.fault for one in find_files(["runs"], suffixes=RUN_SUFFIXES)}
    assert found["runs/pipe.jsonl"].reason == "unreadable_file"
