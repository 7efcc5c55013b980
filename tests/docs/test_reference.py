"""The generated pages say what the code says."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from pages import ROOT

import grade
from grade.ingest.reasons import REASONS
from grade.settings import Settings
from grade.table import Table
from pipelines.reference import pages

FOLDER = ROOT / "docs" / "reference"
PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


def test_no_other_page_stands_among_them():
    assert {path.name for path in FOLDER.glob("*.md")} == set(PAGES)


def test_every_table_and_column_is_described():
    page = PAGES["tables.md"]
    modules = [module.name for module in pkgutil.walk_packages(grade.__path__, "grade.")]
    values = [value for name in modules for value in vars(importlib.import_module(name)).values()]
    tables = {value.name: value for value in values if isinstance(value, Table)}
    assert {"runs", "fact_checks", "tokens"} <= set(tables)
    for table in tables.values():
        section = page.split(f"\n## {table.name}\n", 1)[1].split("\n## ", 1)[0]
        assert re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE) == list(table.columns)


def test_every_column_says_something():
    empty = re.findall(r"^\| `([^`]+)` \|.*\|\s*\|$", PAGES["tables.md"].split("## ranking")[0], re.MULTILINE)
    assert empty == []


def test_every_setting_and_reason_is_there():
    for name in Settings.__dataclass_fields__:
        assert f"| `{name}` |" in PAGES["settings.md"]
    for code in REASONS:
        assert f"| `{code}` |" in PAGES["reject-reasons.md"]


def test_every_option_is_documented():
    rows = re.findall(r"^\| `.*\| *(.*?) *\|$", PAGES["cli.md"], re.MULTILINE)
    assert rows
    assert all(len(text) > len("Required.") for text in rows)


def test_commands_read_as_they_are_typed():
    page = PAGES["cli.md"]
    assert "grade score RUNS... --packs PATH --out PLACE [OPTIONS]" in page
    assert "| `--quiet` | Say nothing" in page
    assert "## grade packs build" in page
