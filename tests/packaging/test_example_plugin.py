"""The example plug-in of the docs, installed as a user would, adds its formats to the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "how-to" / "example-plugin"
PAGE = ROOT / "docs" / "how-to" / "write-a-plug-in.md"
GRADE = [sys.executable, "-c", "from pipelines.cli import main; main()"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def plugged(tmp_path_factory):
    """The command with the example installed into a folder of its own, run in an empty folder."""
    home = tmp_path_factory.mktemp("plugged")
    source = shutil.copytree(EXAMPLE, home / "source")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
    ]
    subprocess.run([*install, "--target", home / "site", source], check=True, timeout=300)

    def call(*arguments: object, plugins: bool = True) -> subprocess.CompletedProcess:
        path = os.pathsep.join([str(ROOT), *([str(home / "site")] if plugins else [])])
        environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
        command = [*GRADE, *map(str, arguments)]
        return subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    made = call("demo", "--out", "result", "--quiet")
    assert made.returncode == 0, made.stderr
    return call, home


def test_the_exporter_is_listed_and_writes(plugged):
    call, home = plugged
    assert "noticeboard" in " ".join(call("export", "--help").stdout.split())
    done = call("export", "result", "--to", "noticeboard", "--out", "notice")
    assert (done.returncode, done.stdout) == (0, "notice\n"), done.stderr
    lines = (home / "notice" / "notice.txt").read_text().splitlines()
    assert len(lines) == 9
    assert lines[0] == "0.96  sim/careful-1"
    assert lines == sorted(lines, reverse=True)
    again = call("export", "result", "--to", "noticeboard", "--out", "notice")
    assert again.returncode == 0, again.stderr


def test_the_reader_is_listed_and_reads(plugged):
    pytest.importorskip("pipelines.imports.registry", reason="this version has no `grade import`")
    call, home = plugged
    assert "notecards" in " ".join(call("import", "--help").stdout.split())
    cards = (
        "not a card\n"
        "=== acme/model-a | T-1 | 0\n## Findings\n\n- 82.4% of students attended.\n"
        "=== acme/model-a | T-1 | 1\r\n## Findings\n\n- Attendance fell.\n"
    )
    (home / "cards.txt").write_text(cards, newline="")
    done = call("import", "notecards", "cards.txt", "--out", "runs.jsonl", "--max-skipped", "1")
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in (home / "runs.jsonl").read_text().splitlines()]
    assert [(run["model_id"], run["task_id"], run["run_index"]) for run in runs] == [
        ("acme/model-a", "T-1", 0),
        ("acme/model-a", "T-1", 1),
    ]
    assert runs[0]["key_findings"] == ["82.4% of students attended."]


def test_its_errors_are_told_as_ours(plugged):
    call, _ = plugged
    done = call("export", "result", "--to", "noticeboard", "--out", "other", "--table", "runs")
    assert done.returncode == 2
    assert done.stderr.startswith("grade: a notice shows one table only\n  got: runs")


def test_without_the_package_there_is_no_such_format(plugged):
    call, _ = plugged
    done = call("export", "result", "--to", "noticeboard", "--out", "none", plugins=False)
    assert done.returncode == 2
    assert "there is no such export format" in done.stderr


def test_the_page_shows_the_files_of_the_example():
    page = PAGE.read_text(encoding="utf-8")
    for path in EXAMPLE.rglob("*"):
        if path.is_file() and path.name != "__init__.py":
            assert f"\n{path.read_text(encoding='utf-8')}```\n" in page, path.name


def test_the_example_needs_no_other_package_than_ours():
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["grade"]
