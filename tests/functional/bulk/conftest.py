"""Stores and their results, made once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from object_store import BUCKET, serving
from small_inputs import write_inputs
from store_inputs import add_models, rescore

from grade.errors import GradeError
from pipelines import places
from pipelines.cli import app
from pipelines.ingest import ingest


class Told(NamedTuple):
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> Path:
    """Two folders with inputs, a store and its result `out`: four groups, and 28."""
    folder = tmp_path_factory.mktemp("bulk")
    for name, add in (("few", None), ("many", add_models)):
        with pytest.MonkeyPatch.context() as patched:
            write_inputs(folder / name)
            patched.chdir(folder / name)
            ingest(["runs"], Path("store"))
            if add is not None:
                add()
            rescore()
    return folder


@pytest.fixture
def few(template, tmp_path, monkeypatch) -> Path:
    """The working folder: small inputs, a store of their runs, and its result."""
    shutil.copytree(template / "few", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def many(template, tmp_path, monkeypatch) -> Path:
    """The same with 28 groups."""
    shutil.copytree(template / "many", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def object_store():
    """The environment that leads to an object store of this machine."""
    with serving() as environment:
        yield environment


@pytest.fixture
def lake(few, object_store, monkeypatch) -> Path:
    """The working folder with small inputs, a store of their runs and its result, and an empty object store."""
    for name, value in object_store.items():
        monkeypatch.setenv(name, value)
    places._object_store.cache_clear()
    places._object_store().delete_dir_contents(BUCKET)
    return few


@pytest.fixture
def command(capsys) -> Callable[..., Told]:
    """The command, run in this process, which takes a tenth of the time."""

    def called(*arguments: object) -> Told:
        code = 0
        try:
            app(list(map(str, arguments)), standalone_mode=False)
        except GradeError as fault:
            return Told(fault.exit_code, capsys.readouterr().out, fault.render())
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Told(code, *capsys.readouterr())

    return called
