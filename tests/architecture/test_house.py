"""The line that the house holds: sizes, purity of the library, no loops over rows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = sorted((ROOT / "grade").rglob("*.py"))
MODULES = [*LIBRARY, *sorted((ROOT / "pipelines").rglob("*.py"))]
LONGEST_MODULE = 400
LONGEST_FUNCTION = 30

ROW_LOOPS = {
    "iter_rows",
    "map_elements",
    "map_rows",
    "map_batches",
    "map_groups",
    "apply",
    "itertuples",
    "iterrows",
}
IMPURE = {
    "os",
    "time",
    "random",
    "subprocess",
    "socket",
    "shutil",
    "tempfile",
    "requests",
    "urllib",
    "logging",
}
CLOCKS = re.compile(
    r"\bdatetime\.now\(|\butcnow\(|\bdate\.today\(|\bopen\(|\.read_text\(|\.write_text\(|\bprint\("
)
MAY_READ = {"db.py"}
"""The loader of queries reads our own files."""

FIXED_TOP_LEVEL = {"grade", "pipelines", "sql", "tests", "data", "docs"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body
    has_docstring = ast.get_docstring(function) is not None
    rest = body[1:] if has_docstring else body
    return rest[-1].end_lineno - rest[0].lineno + 1 if rest else 0


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_can_be_read_in_one_go(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_function_fits_on_a_screen(path):
    long = {function.name: body_lines(function) for function in functions(path)}
    assert {key: lines for key, lines in long.items() if lines > LONGEST_FUNCTION} == {}


@pytest.mark.parametrize("path", LIBRARY, ids=name)
def test_the_library_loops_over_no_rows(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert called.isdisjoint(ROW_LOOPS)


@pytest.mark.parametrize("path", LIBRARY, ids=name)
def test_the_library_has_no_clock_files_or_environment(path):
    text = path.read_text(encoding="utf-8")
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
    }
    assert imported.isdisjoint(IMPURE)
    if path.name not in MAY_READ:
        assert not CLOCKS.search(text)


@pytest.mark.parametrize("path", LIBRARY, ids=name)
def test_the_library_keeps_no_state_between_calls(path):
    assert not re.search(r"^\s*global\s", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_nothing_runs_code_from_data():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<![.\w])(eval|exec)\(|\bpickle\b|\byaml\b|shell=True", text), name(path)


def test_the_top_level_is_the_one_of_the_house():
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and not path.name.startswith(".") and path.name not in {"out", "dist", "build"}
    }
    assert folders <= FIXED_TOP_LEVEL


def test_code_lives_in_modules_and_not_in_package_files():
    for path in MODULES:
        if path.name == "__init__.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert all(isinstance(node, ast.Expr) for node in tree.body), name(path)


def test_no_lock_file_names_a_download_address():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", line)
