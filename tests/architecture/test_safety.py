"""No input can run code: nothing in the program loads, evaluates or starts what it reads."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
import time
from functools import cache
from pathlib import Path

import pytest

from grade.errors import SettingsError
from grade.ingest.limits import Limits
from grade.settings import Settings, parse_settings

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


@cache
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


@cache
def calls(path: Path) -> tuple[tuple[str, ast.Call], ...]:
    """Each call with the dotted name of what is called."""
    nodes = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))
    return tuple((ast.unparse(node.func), node) for node in nodes)


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
    excepted = {*MAY_COMPOSE, *MAY_CALL_THE_SYSTEM, *MAY_NEST, *MAY_REACH_OUT, *MAY_READ_THE_ENVIRONMENT}
    assert excepted | {READS_TABLES, *MAY_WRITE_BARE_CSV, *MAY_FORMAT} <= known


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


NETWORK = {
    *("socket", "socketserver", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "openai"),
    *("smtplib", "ftplib", "asyncio", "webbrowser", "boto3", "fsspec"),
}
MAY_REACH_OUT = {
    "pipelines/judging/endpoint.py": "asks the judge that the user names, with the user's key",
    "pipelines/engines/cluster.py": "asks the Ray cluster that the user names",
    "pipelines/exports/parquet.py": "writes names as web addresses do, and opens none",
}

MAY_READ_THE_ENVIRONMENT = {
    "pipelines/judging/endpoint.py": "the key, which must not stand in a file or an option",
    "pipelines/desk/prompt.py": "where the history of the prompt is kept",
    "pipelines/commands/options.py": "sets the number of threads before polars loads",
    "pipelines/cli.py": "keeps linear algebra to one thread",
    "pipelines/engines/cluster.py": "tells Ray to report to nobody",
    "pipelines/places.py": "the address, region and keys of an object store, as other tools take them",
}

READS_TABLES = "pipelines/table_files.py"
"""The module that reads Parquet and CSV files, each under exactly its name."""

MAY_WRITE_BARE_CSV = {"pipelines/packs/files.py": "made data of packs, without a word of a model or judge"}
MAY_FORMAT = {
    "grade/report/html/charts.py": "a number, by a pattern of the charts' own",
    "pipelines/reference.py": "the head of a generated page",
    "grade/report/eee/metrics.py": "names of a task's files and the prompt that ships, within a text of our own",
}
"""Modules that call `format` of a text; none of these texts is an input."""


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_what_the_user_names_is_reached_over_the_network(path):
    assert imported(path).isdisjoint(NETWORK) or name(path) in MAY_REACH_OUT


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_the_environment_decides_nothing_but_what_is_said(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\bos\.(environ|getenv)\b", text) or name(path) in MAY_READ_THE_ENVIRONMENT


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_table_is_read_under_its_own_name_and_never_as_a_pattern(path):
    """polars takes `*`, `?` and `[` in a name for a pattern, and would read other files than were named."""
    for called, node in calls(path):
        if re.fullmatch(r"pl\.(read|scan)_\w+", called):
            assert name(path) == READS_TABLES, (called, node.lineno)
            words = {word.arg: ast.unparse(word.value) for word in node.keywords}
            assert words.get("glob") == "False", (called, node.lineno)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_cells_that_a_spreadsheet_would_run_are_made_text_wherever_csv_is_written(path):
    for called, node in calls(path):
        if called.endswith(".write_csv") and name(path) not in MAY_WRITE_BARE_CSV:
            assert called.startswith("tidy_cells("), (called, node.lineno)
        if called == "xlsxwriter.Workbook":
            text = path.read_text(encoding="utf-8")
            for option in ("strings_to_formulas", "strings_to_urls", "strings_to_numbers"):
                assert f'"{option}": False' in text


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_text_of_an_input_is_a_template(path):
    """`format` of a text that someone else wrote reads attributes of what it is given."""
    for called, node in calls(path):
        owner, _, method = called.rpartition(".")
        if method in {"format", "format_map"} and owner not in {"pl", "msgspec.json"}:
            assert name(path) in MAY_FORMAT, (called, node.lineno)
        assert called not in {"string.Template", "Template.substitute"}, node.lineno


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_unpacked_into_files_and_no_temporary_name_is_guessed(path):
    for called, node in calls(path):
        last = called.rpartition(".")[2]
        assert last not in {"extract", "extractall", "unpack_archive", "mktemp", "chmod", "chown"} or (
            called.startswith("pl.") or ".str." in called
        ), (called, node.lineno)


HOSTILE = (
    "a",
    "a ",
    " ",
    "1",
    "1,",
    "1.",
    "-",
    "- ",
    "#",
    "# ",
    "|",
    "*",
    "(",
    ")",
    ".",
    "\n",
    "\\",
    "`",
    "{{",
    "'",
)
LENGTH = 20_000
SECONDS = 2.0
"""For one pattern and all hostile texts; a hundredth is usual, and what grows with the square takes minutes."""


def patterns() -> list[tuple[str, re.Pattern[str], tuple[str, ...]]]:
    """Every pattern of the standard library that a module holds, and how the module uses it."""
    found = []
    for path in MODULES:
        if "re" in imported(path) and path.name != "__init__.py":
            module = importlib.import_module(name(path).removesuffix(".py").replace("/", "."))
            text = path.read_text(encoding="utf-8")
            for key, value in vars(module).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    ways = sorted(set(re.findall(rf"\b{key}\.(\w+)\(", text)))
                    found.append((f"{name(path)}:{key}", value, tuple(ways)))
    return found


USES = {
    "sub": lambda pattern, text: pattern.sub("", text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
}


@pytest.mark.parametrize(("place", "pattern", "ways"), patterns())
def test_a_pattern_takes_time_that_grows_with_the_text(place, pattern, ways):
    started = time.process_time()
    for atom in HOSTILE:
        text = atom * (LENGTH // len(atom))
        for way in {*ways} - {"pattern", "groups"} or {"search"}:
            use = USES.get(way, lambda pattern, text, way=way: getattr(pattern, way)(text))
            for tried in (text, f"{text}!", f"x{text}\0"):
                use(pattern, tried)
        assert time.process_time() - started < SECONDS, (place, ways, atom)


def test_every_limit_on_what_is_read_is_a_setting():
    limits = {field.name for field in dataclasses.fields(Limits)}
    assert limits == {
        "max_record_bytes",
        "max_depth",
        "max_entries",
        "max_metrics",
        "max_expanded_bytes",
        "max_refused",
    }
    assert limits <= {field.name for field in dataclasses.fields(Settings)}
    for limit in limits:
        low = next(field for field in dataclasses.fields(Settings) if field.name == limit).metadata["low"]
        assert getattr(parse_settings(f"{limit} = {low}\n", where="s.toml").limits, limit) == low
        with pytest.raises(SettingsError, match=limit):
            parse_settings(f"{limit} = 0\n", where="s.toml")
