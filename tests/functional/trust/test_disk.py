"""A reader sees the old result or the new one, whole: also after a kill, on a full disk, with two processes."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest
from real_command import COMMAND
from small_inputs import run, task, write_lines

from pipelines.write import replaced_folder

IS_ROOT = os.geteuid() == 0
SCORE = ("score", "runs", "--packs", "packs", "--out")


def start(folder: Path, *arguments: str, **more: object) -> subprocess.Popen:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*COMMAND, *arguments], cwd=folder, **streams, **more)


def finished(process: subprocess.Popen) -> tuple[int, str]:
    _, said = process.communicate(timeout=300)
    return process.returncode, said


def content(out: Path) -> dict[str, str]:
    """The hash of every file of a result but the manifest, which knows the time."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".grade"))


@pytest.fixture
def place(scored, tmp_path) -> Path:
    """The small inputs with their result, and one run more than was scored."""
    folder = Path(shutil.copytree(scored[0], tmp_path / "place"))
    write_lines(folder / "runs" / "more.jsonl", [run(0, "acme/model-c")])
    return folder


@pytest.mark.slow
def test_a_killed_command_leaves_one_whole_result(place, command):
    old = content(place / "out")
    started = time.monotonic()
    assert command(place, *SCORE, "after").returncode == 0
    needed, new = time.monotonic() - started, content(place / "after")
    assert old != new
    for share in (0.7, 0.85, 0.95):
        process = start(place, *SCORE, "out")
        time.sleep(share * needed)
        process.send_signal(signal.SIGKILL)
        finished(process)
        found = content(place / "out")
        assert found in (old, new)
        listed = json.loads((place / "out" / "manifest.json").read_text())["outputs"]
        assert sorted(found) == sorted(listed)
    assert finished(start(place, *SCORE, "out"))[0] == 0
    assert content(place / "out") == new
    assert hidden(place) == []


def test_a_file_that_the_disk_refuses_ends_with_2_and_no_half_result(place):
    old = content(place / "out")

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))

    code, said = finished(start(place, *SCORE, "out", preexec_fn=small_files))
    assert code == 2, said
    assert "the result cannot be written" in said
    assert "File too large" in said
    assert "Traceback" not in said
    assert content(place / "out") == old
    assert hidden(place) == []


@pytest.mark.skipif(not IS_ROOT or shutil.which("unshare") is None, reason="only root makes a small disk")
def test_a_full_disk_ends_with_2_and_no_half_result(place):
    (place / "disk").mkdir()
    script = 'mount -t tmpfs -o size=100k tmpfs disk || exit 99; "$@"; code=$?; ls -A disk; exit $code'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", *COMMAND, *SCORE, "disk/out"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode in (1, 99):
        pytest.skip(f"no small disk can be made here: {done.stderr}")
    assert done.returncode == 2, done.stderr
    assert "No space left" in done.stderr
    assert "the disk is full; free some space or choose another --out" in done.stderr
    assert done.stdout == ""  # the disk is as empty as before


def test_a_second_command_on_one_folder_is_refused_while_the_first_works(place):
    old = content(place / "out")
    with replaced_folder(place / "out") as folder:
        code, said = finished(start(place, *SCORE, "out"))
        assert code == 2
        assert "another process is writing this result" in said
        shutil.copytree(place / "out", folder, dirs_exist_ok=True)
    assert content(place / "out") == old
    assert hidden(place) == []


@pytest.mark.slow
def test_two_commands_at_once_never_mix(place, command):
    write_lines(place / "other" / "runs.jsonl", [run(0, "acme/model-d")])
    assert command(place, "score", "other", "--packs", "packs", "--out", "two").returncode == 0
    both = [start(place, "score", runs, "--packs", "packs", "--out", "out") for runs in ("runs", "other")]
    ends = [finished(process) for process in both]
    assert {code for code, _ in ends} <= {0, 2}
    assert 0 in {code for code, _ in ends}
    assert all("another process" in said for code, said in ends if code == 2)
    models = set(pl.read_parquet(place / "out" / "overall_scores.parquet")["model_id"])
    if models == {"acme/model-d"}:
        assert content(place / "out") == content(place / "two")
    else:
        assert models == {"acme/model-a", "acme/model-b", "acme/model-c"}
        assert sorted(content(place / "out")) == sorted(
            json.loads((place / "out" / "manifest.json").read_text())["outputs"]
        )


ORDINARY = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if IS_ROOT else ()
"""What makes root ask for permission as everybody does."""


def ordinary(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run the command as somebody who needs permission; skip where root cannot become such a one."""
    if IS_ROOT and shutil.which("setpriv") is None:
        pytest.skip("nothing here takes root's rights away")
    command = [*ORDINARY, *COMMAND, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stderr


def test_a_folder_that_may_not_be_written_is_named(inputs):
    inputs.chmod(0o555)
    code, said = ordinary(inputs, *SCORE, "out")
    inputs.chmod(0o755)
    assert code == 2, said
    assert "the result cannot be written" in said
    assert str(inputs) in said
    assert "Permission denied" in said
    assert "choose an --out that you may write to" in said


def test_a_file_that_may_not_be_read_is_named_and_the_others_are_scored(inputs):
    write_lines(inputs / "runs" / "secret.jsonl", [run(0, "acme/secret")]).chmod(0)
    code, said = ordinary(inputs, *SCORE, "out")
    assert code == 3, said
    assert "runs/secret.jsonl" in said
    assert "Permission denied" in said
    assert len(list((inputs / "out" / "results").iterdir())) == 2


def test_a_pack_that_may_not_be_read_stops_by_name(inputs):
    write_lines(inputs / "packs" / "more" / "tasks.jsonl", [task("T-7")]).chmod(0)
    code, said = ordinary(inputs, *SCORE, "out")
    assert code == 2, said
    assert "packs/more/tasks.jsonl" in said
    assert "Permission denied" in said
