"""Engines by name, and what is told when there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grade.errors import InputError, SettingsError
from pipelines.engines.engine import NAMES, find_engine
from pipelines.engines.local import LocalEngine


def test_the_usual_engine_is_local():
    assert find_engine("local", out=Path("out")) == LocalEngine()
    assert NAMES[0] == "local"


def test_a_typo_is_told_with_the_nearest_name():
    with pytest.raises(SettingsError, match="did you mean ray"):
        find_engine("rya", out=Path("out"))


def test_an_address_belongs_to_a_cluster():
    with pytest.raises(SettingsError, match="local has no address"):
        find_engine("local", out=Path("out"), address="head:6379")


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "pipelines.engines.cluster", raising=False)
    with pytest.raises(InputError, match=r"pip install 'grade\[ray\]'"):
        find_engine("ray", out=Path("out"))
