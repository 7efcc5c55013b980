"""Text of models and judges stays text: in Markdown, HTML, CSV, XLSX, in SQL and on the terminal."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from html.parser import HTMLParser

import polars as pl
import pytest
from small_inputs import run, task, write_lines

SCRIPT = "<script>alert(1)</script>"
EVIL_IDS = (
    SCRIPT,
    "=cmd|'/c calc'!A1",
    "@SUM(1+1)*cmd",
    "a|b`c`",
    "two\n# lines",
    "[link](javascript:alert(1))",
    "'; DROP TABLE runs; --",
    '" onmouseover="alert(1)',
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
)
EVIL_TEXT = [
    f"{SCRIPT} Tutoring caused the growth of enrollment.",
    '=HYPERLINK("http://example.test","x") 999 students.',
    "| a | b |\n\n## Fake heading\n\n```",
    "![x](http://example.test/x.png) <img src=x onerror=alert(1)>",
    "\x1b]0;title\x07 \u202e",
]
LIVE = re.compile(r"<\s*(script|img|iframe|svg|a|style|link)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def hostile(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_lines(folder / "packs" / "small" / "tasks.jsonl", [task("T-1"), task("T-2", title=SCRIPT)])
    runs = [
        run(0, model, task_id, key_findings=EVIL_TEXT, limitations=EVIL_TEXT, raw_response_text=EVIL_TEXT[0])
        | {"structured_metrics": {SCRIPT: "=1+1", "a|b": EVIL_TEXT[2]}}
        | {"evidence_citations": [{"citation_text": SCRIPT, "source_file": "=cmd"}]}
        for model in EVIL_IDS
        for task_id in ("T-1", "T-2")
    ]
    write_lines(folder / "runs.jsonl", [*runs, f"{{{SCRIPT}", "=cmd"])
    found = {"severity": "high", "title": SCRIPT, "description": EVIL_TEXT[2], "code": "=cmd"}
    verdicts = [
        {"model_id": model, "task_id": "T-1", "run_index": 0, "judge_id": f"=judge{SCRIPT}"}
        | {"dimension": "structure_usability", "int_score": 2, "reasoning": EVIL_TEXT[3], "findings": [found]}
        for model in EVIL_IDS
    ]
    write_lines(folder / "verdicts.jsonl", verdicts)
    arguments = ("runs.jsonl", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", "out")
    finished = command(folder, "score", *arguments, "--max-rejects", 2)
    assert finished.returncode == 0, finished.stderr
    return folder


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.attributes: set[str] = set()
        self._open = ""

    def handle_starttag(self, tag, attrs):
        self._open = tag
        self.attributes |= {name for name, _ in attrs}
        self.attributes |= {f"{name}={value}" for name, value in attrs if name in {"href", "src"}}

    def handle_data(self, data):
        if self._open == "script":
            self.scripts.append(data)

    def handle_endtag(self, _):
        self._open = ""


def test_every_model_is_scored_under_its_own_name(hostile):
    assert set(pl.read_parquet(hostile / "out" / "overall_scores.parquet")["model_id"]) == set(EVIL_IDS)


def test_markdown_holds_no_live_markup(hostile):
    pages = [hostile / "out" / "leaderboard.md", *(hostile / "out" / "scorecards").iterdir()]
    assert len(pages) == 1 + len(EVIL_IDS)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        bare = re.sub(r"\\[\\`*_\[\]<>|~&$#!{}^=@:.]", "", text)
        assert not LIVE.search(bare), page.name
        assert "](" not in bare
        assert not re.search(r"^#+ (Fake|lines)", text, re.MULTILINE)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text), page.name
        for line in text.splitlines():
            if line.startswith("| "):
                head = re.split(r"(?<!\\)\|", line)
                assert head[0] == ""


def test_tables_in_markdown_keep_their_columns(hostile):
    rows = [
        line for line in (hostile / "out" / "leaderboard.md").read_text().splitlines() if line[:2] == "| "
    ]
    widths = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
    assert len(widths) == 1


def test_html_runs_nothing_of_the_data(hostile, command):
    assert command(hostile, "report", "out", "--html", "report.html").returncode == 0
    page = (hostile / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert not any(name.startswith("on") for name in tags.attributes)
    assert not any("javascript:" in name or "example.test" in name for name in tags.attributes)
    assert not any(re.search(r"alert\(1\)(?!.*\\u003c)", text) and "<script" in text for text in tags.scripts)
    assert SCRIPT not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("name", ["csv", "xlsx"])
def test_a_spreadsheet_calculates_nothing_of_the_data(hostile, command, name):
    finished = command(hostile, "export", "out", "--to", name, "--out", f"out-{name}")
    assert finished.returncode == 0, finished.stderr
    files = sorted(path for path in (hostile / f"out-{name}").rglob("*") if path.suffix == f".{name}")
    assert files
    for path in files:
        cells = csv_cells(path) if name == "csv" else xlsx_cells(path)
        live = [cell for cell in cells if cell[:1] in set("=+-@\t\r\n") and not is_number(cell)]
        assert live == [], path.name


def csv_cells(path) -> list[str]:
    rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
    return [cell for row in rows for cell in row]


def xlsx_cells(path) -> list[str]:
    """The texts of a workbook, which must hold no formula and no link."""
    with zipfile.ZipFile(path) as book:
        sheets = [book.read(name).decode() for name in book.namelist() if "worksheets/sheet" in name]
        shared = (
            book.read("xl/sharedStrings.xml").decode() if "xl/sharedStrings.xml" in book.namelist() else ""
        )
    assert not any("<f>" in sheet or "<hyperlink" in sheet for sheet in sheets)
    return re.findall(r"<t[^>]*>([^<]*)</t>", shared + "".join(sheets))


def is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?", cell))


def test_the_terminal_gets_no_control_characters(hostile, command):
    for arguments in (
        ("leaderboard", "out"),
        ("scorecard", "out", "--model", EVIL_IDS[8]),
        ("sql", "out", "FROM runs"),
    ):
        finished = command(hostile, *arguments)
        assert finished.returncode == 0, finished.stderr
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", finished.stdout), arguments


def test_ids_are_parameters_and_never_sql(hostile):
    runs = pl.read_parquet(hostile / "out" / "runs.parquet")
    assert runs.height == 2 * len(EVIL_IDS)
    result = json.loads(
        next(
            text
            for path in (hostile / "out" / "results").iterdir()
            if "DROP TABLE" in (text := path.read_text())
        )
    )
    assert result["model_id"] == "'; DROP TABLE runs; --"
