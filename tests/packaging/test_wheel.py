"""The built wheel, installed elsewhere, does the main job with the same result as the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from pipelines.manifest import grade_version

ROOT = Path(__file__).parents[2]
CLEAN = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME"}}


def call(*command: object, cwd: Path, **environment: str) -> str:
    finished = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=CLEAN | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory) -> Path:
    """A fresh environment with the wheel; the other packages are lent from the current one."""
    home = tmp_path_factory.mktemp("elsewhere")
    call(sys.executable, "-m", "venv", home / "venv", cwd=home)
    python = home / "venv" / "bin" / "python"
    call(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=home)
    site = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip()
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(site, "lent.pth").write_text("".join(f"{path}\n" for path in sorted(lent)))
    return home


def digest(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_wheel_holds_code_queries_data_and_schema(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "grade/py.typed",
        "grade/_sql/task_scores.sql",
        "grade/report/result_schema.json",
        "grade/_data/packs/pack_operations/tasks.jsonl",
        "pipelines/cli.py",
    } <= names
    assert not any(name.startswith(("tests/", "docs/", "sql/", "data/")) for name in names)
    assert not any("__pycache__" in name for name in names)


def test_the_installed_command_runs_from_another_folder(installed):
    python = installed / "venv" / "bin" / "python"
    place = call(python, "-c", "import grade; print(grade.__file__)", cwd=installed).strip()
    assert Path(place).is_relative_to(installed)
    shown = call(installed / "venv" / "bin" / "grade", "demo", "--out", "result", cwd=installed)
    assert shown.splitlines()[-1] == "Result folder: result"


@pytest.mark.slow
@pytest.mark.skipif(grade_version().endswith("checkout"), reason="the checkout is not installed here")
def test_its_result_is_that_of_the_checkout_to_the_byte(installed, tmp_path):
    call(installed / "venv" / "bin" / "grade", "demo", "--out", "again", cwd=installed)
    program = "from pipelines.cli import main; main()"
    call(sys.executable, "-c", program, "demo", "--out", "result", cwd=tmp_path, PYTHONPATH=str(ROOT))
    ours, theirs = digest(tmp_path / "result"), digest(installed / "again")
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []
