"""No input can run code: nothing in the program loads, evaluates or starts what it reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [*sorted((ROOT / "grade").rglob("*.py")), *sorted((ROOT / "pipelines").rglob("*.py"))]

NEVER_IMPORTED = {
    *("yaml", "ruamel", "pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "dbm"),
    *("subprocess", "pty", "runpy", "code", "codeop", "imp", "xmlrpc", "telnetlib", "ftplib"),
    *("jinja2", "mako", "torch", "numexpr", "pandas"),
}
"""Modules that run or unpack what they are given, or start programs."""

NEVER_CALLED = {
    *("eval", "exec", "compile", "__import__", "breakpoint"),
    *("os.system", "os.popen", "os.execv", "os.execvp", "os.spawnv", "os.startfile", "os.fork"),
    *("np.load", "numpy.load", "pl.sql", "pl.SQLContext", "importlib.import_module"),
    *("pl.DataFrame.deserialize", "pl.Expr.deserialize", "pl.LazyFrame.deserialize"),
}

OPENS_SQL = {"execute", "executemany", "sql", "query"}
MAY_COMPOSE = {
    "grade/sandbox.py": "names of views and tables that a user asks about, between quotation marks",
    "pipelines/packs/sandbox.py": "names of data files, between quotation marks",
    "pipelines/exports/duckdb.py": "names of our own tables and of the file to make",
}
"""Modules whose SQL holds names, with the reason; values are parameters there, too."""

MAY_CALL_THE_SYSTEM = {"pipelines/write.py"}
"""One exchange of two folders, which Python has no function for."""

MAY_NEST = {"pipelines/packs/measures.py": "a line end separates the repeats, and the file is our own"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Each call with the dotted name of what is called."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_imported_that_runs_what_it_reads(path):
    assert imported(path).isdisjoint(NEVER_IMPORTED)
    assert "ctypes" not in imported(path) or name(path) in MAY_CALL_THE_SYSTEM


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_called_that_runs_text(path):
    for called, node in calls(path):
        assert called not in NEVER_CALLED, (called, node.lineno)
        words = {word.arg for word in node.keywords}
        assert words.isdisjoint({"shell", "allow_pickle", "object_hook"}), (called, node.lineno)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_sql_is_never_put_together_from_values(path):
    for called, node in calls(path):
        is_sql = called.rpartition(".")[2] in OPENS_SQL and "." in called and node.args
        if is_sql and name(path) not in MAY_COMPOSE:
            text = node.args[0]
            composed = isinstance(text, ast.JoinedStr | ast.BinOp) or (
                isinstance(text, ast.Call) and ast.unparse(text.func).endswith((".format", ".join"))
            )
            assert not composed, (called, node.lineno)


def test_the_exceptions_are_needed():
    known = {name(path) for path in MODULES}
    assert {*MAY_COMPOSE, *MAY_CALL_THE_SYSTEM, *MAY_NEST} <= known


@pytest.mark.parametrize("path", sorted((ROOT / "sql").rglob("*.sql")), ids=name)
def test_a_query_reads_no_file_and_changes_nothing(path):
    text = re.sub(r"--[^\n]*|'(?:[^']|'')*'", "", path.read_text(encoding="utf-8")).lower()
    forbidden = (
        r"\b(read_\w+|glob|copy|attach|install|load|pragma|insert|update|delete|drop|call|getenv)\b\s*\(?"
    )
    assert not re.search(forbidden, text)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_patterns_of_the_standard_library_do_not_nest_repeats(path):
    """A repeat within a repeat may take exponential time on hostile text; possessive ones cannot."""
    if name(path) in MAY_NEST:
        return
    for called, node in calls(path):
        if called in {"re.compile", "re.search", "re.match", "re.sub", "re.split", "re.findall"}:
            for text in (part.value for part in ast.walk(node) if isinstance(part, ast.Constant)):
                if isinstance(text, str | bytes):
                    pattern = text.decode("latin-1") if isinstance(text, bytes) else text
                    assert not re.search(r"\((?:[^()\\]|\\.)*[^+\\][+*]\)[+*](?!\+)", pattern), pattern
