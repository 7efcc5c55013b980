"""Stores and their results, made once and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_inputs import write_inputs
from store_inputs import add_models, rescore

from pipelines.ingest import ingest


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
