"""Read the pages' fenced blocks and run their commands, as a reader would, in one folder per page.

`docs/how-to/write-a-page.md` explains the marks to those who write pages.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "data", ".")
LONGEST_SECONDS = 300

_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
_PROGRESS = re.compile(r"^[a-z ]+: [0-9,]+ [a-z]+ in [0-9.]+ (s|min)\b")
"""What is told of a step that takes longer than a second, on a slow machine."""
_ANYTHING = "..."
RUN_ELSEWHERE = {"docs/how-to/write-a-task.md": "tests/unit/packs/test_packs_check.py"}
"""Pages whose blocks another test puts together and runs."""

STANDS_FOR = {"make demo": "grade demo --out out/demo"}
"""What runs here for a command that would install from the network first; the Makefile is held to it."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its marks, its lines, and the line of the page that opens it."""

    language: str
    marks: dict[str, str]
    lines: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def is_skipped(self) -> bool:
        return "skip" in self.marks


@dataclass
class Step:
    """A command of a console block, with the output that the page shows under it."""

    command: str
    shown: list[str] = field(default_factory=list)


def pages() -> list[Path]:
    """Every page that a reader may open, but for generated references and this project's history."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if page.is_file()]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page; a longer fence may hold shorter ones as text."""
    fence, indent, info, start, lines = "", "", "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        found = _FENCE.match(line)
        if fence:
            is_end = found and found[2].startswith(fence) and not found[3].strip()
            if is_end:
                yield _block(info, lines, start)
                fence = ""
            else:
                lines.append(line.removeprefix(indent))
        elif found:
            indent, fence, info, start, lines = found[1], found[2], found[3].strip(), number, []


def _block(info: str, lines: list[str], start: int) -> Block:
    language, *marks = info.split() or [""]
    pairs = (mark.partition("=") for mark in marks)
    return Block(language, {key: value for key, _, value in pairs}, tuple(lines), start)


def steps(block: Block) -> list[Step]:
    """The commands of a console block: `$ ` begins one, a last backslash or an open quote continues it."""
    found: list[Step] = []
    is_open = False
    for line in block.lines:
        if is_open:
            found[-1].command += f"\n{line}"
        elif line.startswith("$ "):
            found.append(Step(line[2:]))
        elif found:
            found[-1].shown.append(line)
            continue
        else:
            raise AssertionError(f"line {block.line}: a console block begins with `$ ` and a command")
        is_open = _goes_on(found[-1].command)
    return found


def _goes_on(command: str) -> bool:
    if command.endswith("\\"):
        return True
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


class Workplace:
    """A folder like a fresh checkout after `make demo`: `data/`, `out/demo`, and `grade` on the path."""

    def __init__(self, folder: Path, demo: Path | None) -> None:
        self.folder = folder / "grade"
        self.folder.mkdir(parents=True)
        shutil.copytree(ROOT / "data", self.folder / "data")
        for name in ("pyproject.toml", "Makefile", "README.md"):
            if (ROOT / name).exists():
                shutil.copy(ROOT / name, self.folder / name)
        if demo is not None:
            shutil.copytree(demo, self.folder / "out" / "demo")
        self._bin = folder / "bin"
        self._bin.mkdir()
        self._write_scripts()

    def _write_scripts(self) -> None:
        python = sys.executable
        scripts = {
            "grade": f'exec "{python}" -c "from pipelines.cli import main; main()" "$@"',
            "python": f'exec "{python}" "$@"',
        }
        for name, line in scripts.items():
            script = self._bin / name
            script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
            script.chmod(0o755)

    def run(self, command: str) -> tuple[int, list[str]]:
        """Run a command; return its exit code and what it said, both streams in order of time."""
        environment = os.environ | {
            "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder.parent),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["bash", "-c", STANDS_FOR.get(command, command)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )
        return done.returncode, tidy(done.stdout.splitlines())

    def write(self, block: Block) -> None:
        """Write a block that says which file it is."""
        path = self.folder / block.marks["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def run_python(self, block: Block) -> tuple[int, list[str]]:
        """Run a block of Python as a script of its own."""
        script = self.folder.parent / "block.py"
        script.write_text(block.text, encoding="utf-8")
        return self.run(f'python "{script}"')


def tidy(lines: list[str]) -> list[str]:
    """Lines without progress, without white space at their ends and without blank lines around them."""
    kept = [line.rstrip() for line in lines if not _PROGRESS.match(line)]
    while kept and not kept[0]:
        kept.pop(0)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def matches(shown: list[str], said: list[str]) -> bool:
    """Whether output is as shown; `...` stands for any characters, alone on a line for any lines."""
    wanted = tidy(shown)
    parts = [r"(?:.*\n)*?" if line.strip() == _ANYTHING else _line_pattern(line) + r"\n" for line in wanted]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in said)) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split(_ANYTHING))


def makes_demo(page: Path) -> bool:
    """Whether a page makes the demo's result itself, so that none may lie there before."""
    found = (block for block in blocks(page.read_text(encoding="utf-8")) if is_run(block))
    return any(
        step.command in STANDS_FOR for block in found if block.language == "console" for step in steps(block)
    )


def is_run_elsewhere(page: Path) -> bool:
    """Whether another test puts this page's blocks together."""
    return name(page) in RUN_ELSEWHERE


def is_run(block: Block) -> bool:
    return block.language in {"console", "python"} and not block.is_skipped
