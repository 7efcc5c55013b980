"""Each promise of docs/explanation/guarantees.md names tests that exist, and no promise stands without one."""

from __future__ import annotations

import ast
import re

import pytest
from pages import ROOT

PAGE = ROOT / "docs" / "explanation" / "guarantees.md"
_NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows() -> list[list[str]]:
    """The rows of the page's tables that are promises."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] not in {"promise", "---"}]


def names_in(path: str) -> set[str]:
    file = ROOT / "tests" / path
    if not file.is_file():
        return set()
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


NAMED = sorted({found for row in rows() for found in _NAMED.findall(row[-1])})


def test_there_are_promises_of_every_kind():
    assert len(rows()) > 30
    assert len(NAMED) > 50


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_promise_names_its_tests_and_nothing_else(row):
    assert len(row) == 2
    assert _NAMED.sub("", row[1]).strip(", ") == ""
    assert _NAMED.search(row[1])


@pytest.mark.parametrize(("path", "test"), NAMED, ids=str)
def test_a_named_test_exists(path, test):
    assert test.startswith("test_")
    assert test in names_in(path)
