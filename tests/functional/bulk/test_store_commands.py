"""`grade ingest` and `grade rescore` as users run them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_inputs import run, write_lines
from store_inputs import bytes_of

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from pipelines.cli import main; main()"]
SCORING = ("--packs", "packs", "--verdicts", "verdicts.jsonl")


def told(finished) -> dict[str, int]:
    """The table that `grade ingest` prints."""
    rows = [line.rsplit(maxsplit=1) for line in finished.stdout.splitlines()]
    return {name.strip(): int(count.replace(",", "")) for name, count in rows}


def test_from_runs_to_a_result_in_two_commands(grade, inputs):
    added = grade("ingest", "runs", "--store", "store")
    assert added.returncode == 0, added.stderr
    assert told(added) == {
        "records read": 20,
        "added": 20,
        "replaced": 0,
        "duplicates": 0,
        "refused": 0,
        "runs in the store": 20,
    }
    first = grade("rescore", "store", *SCORING, "--out", "out")
    assert (first.returncode, first.stdout) == (0, ""), first.stderr
    assert "scored 20 runs of 2 models; result in out" in first.stderr
    second = grade("rescore", "store", *SCORING, "--out", "out")
    assert "4 of 4 groups as before" in second.stderr
    full = grade("rescore", "store", *SCORING, "--out", "out", "--full")
    assert "as before" not in full.stderr
    assert (inputs / "out" / "leaderboard.md").exists()


def test_conflicts_are_refused_with_exit_code_3_or_replaced(grade, inputs):
    grade("ingest", "runs", "--store", "store")
    write_lines(inputs / "other.jsonl", [run(0, key_findings=["Otherwise."]), run(1), run(7)])
    refused = grade("ingest", "other.jsonl", "--store", "store")
    assert refused.returncode == 3
    counts = told(refused)
    assert (counts["added"], counts["duplicates"], counts["refused"]) == (1, 1, 1)
    assert "other.jsonl, line 1" in refused.stderr
    assert "duplicate_conflict" in refused.stderr
    assert "--replace" in refused.stderr
    assert grade("ingest", "other.jsonl", "--store", "store", "--max-rejects", "1").returncode == 0
    replaced = grade("ingest", "other.jsonl", "--store", "store", "--replace")
    assert replaced.returncode == 0
    counts = told(replaced)
    assert (counts["replaced"], counts["duplicates"], counts["runs in the store"]) == (1, 2, 21)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ingest", "no-such.jsonl", "--store", "store"), "no-such.jsonl"),
        (("ingest", "runs", "--store", "packs"), "holds no store"),
        (("ingest", "runs"), "--store"),
        (("rescore", "no-store", *SCORING, "--out", "out"), "grade ingest RUNS"),
        (("rescore", "runs", *SCORING, "--out", "out"), "no store of runs here"),
    ],
)
@pytest.mark.usefixtures("inputs")
def test_what_stops_everything_ends_with_2(grade, tmp_path, arguments, words):
    finished = grade(*arguments)
    assert finished.returncode == 2
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "out").exists()


def test_ctrl_c_at_the_real_command(grade, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    records = [
        run(index, f"more/model-{model:03}", task_id, key_findings=[f"Finding {model} of {index}."])
        for model in range(60)
        for task_id in ("T-1", "T-2")
        for index in range(2)
    ]
    write_lines(inputs / "runs" / "more.jsonl", records)
    (inputs / "slow.toml").write_text("batch_runs = 1\n")
    grade("ingest", "runs", "--store", "store")
    arguments = ("rescore", "store", *SCORING, "--out", "out")
    assert grade(*arguments).returncode == 0
    before = bytes_of(inputs / "out")
    slowly = [*COMMAND, *arguments, "--full", "--settings", "slow.toml"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(slowly, env=environment, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("scoring:"):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()
    assert process.returncode == 130, rest
    assert "nothing changed at the output path" in rest
    assert "Traceback" not in rest
    assert bytes_of(inputs / "out") == before
    (inputs / "out").rename(inputs / "before")
    again = grade(*arguments)
    assert "groups as before" in again.stderr
    assert bytes_of(inputs / "out") == before
    reuse = json.loads((inputs / "out" / "manifest.json").read_text())["reuse"]
    assert 0 < reuse["reused"] < reuse["groups"] == 124
    assert not list(inputs.glob(".grade-*"))
