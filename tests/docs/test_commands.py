"""Every command and script that a page shows runs, and says what the page says that it says."""

from __future__ import annotations

import re

import pytest
from pages import (
    ROOT,
    RUN_ELSEWHERE,
    STANDS_FOR,
    Block,
    Workplace,
    blocks,
    is_run,
    is_run_elsewhere,
    matches,
    name,
    pages,
    steps,
)

PAGES = [
    page
    for page in pages()
    if not is_run_elsewhere(page) and any(map(is_run, blocks(page.read_text(encoding="utf-8"))))
]
REASONS = {"network", "slow", "interactive", "docker", "key"}
"""What may keep a block from being run."""


def run_block(block: Block, place: Workplace) -> None:
    wanted = int(block.marks.get("exit", "0"))
    if block.language == "python":
        code, said = place.run_python(block)
        assert code == wanted, "\n".join(said)
        return
    for step in steps(block):
        code, said = place.run(step.command)
        told = "\n".join(said)
        assert code == wanted, f"line {block.line}: `{step.command}` ended with {code}:\n{told}"
        if step.shown:
            shown = "\n".join(step.shown)
            assert matches(step.shown, said), (
                f"line {block.line}: `{step.command}` said:\n{told}\n\nbut the page shows:\n{shown}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_shows_is_what_happens(page, workplace):
    for block in blocks(page.read_text(encoding="utf-8")):
        if "file" in block.marks:
            workplace.write(block)
        if is_run(block):
            run_block(block, workplace)


@pytest.mark.parametrize(("page", "test"), RUN_ELSEWHERE.items())
def test_pages_that_are_run_elsewhere_are(page, test):
    assert (ROOT / page).exists()
    assert page in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=name)
def test_a_block_is_left_out_for_a_known_reason_only(page):
    reasons = {block.marks["skip"] for block in blocks(page.read_text(encoding="utf-8")) if block.is_skipped}
    assert reasons <= REASONS


@pytest.mark.parametrize("page", pages(), ids=name)
def test_commands_stand_in_console_blocks(page):
    """A block of another language that shows a shell prompt would never be run."""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language in {"bash", "sh", "shell", ""}:
            assert not any(line.startswith("$ ") for line in block.lines), f"line {block.line}"


def test_what_stands_for_make_is_what_make_runs():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    variables = dict(re.findall(r"^(\w+) *[:?]?= *(\S+)$", makefile, re.MULTILINE))
    for target, command in STANDS_FOR.items():
        recipe = re.search(rf"^{target.removeprefix('make ')}:.*\n\t@?(.+)$", makefile, re.MULTILINE)
        assert recipe is not None
        shell = re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], recipe[1])
        shell = re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], shell)
        assert shell.split("/bin/", 1)[-1] == command


class TestTheRunnerItself:
    def test_output_must_match(self):
        assert matches(["a ... c", "...", "z"], ["a b c", "x", "y", "z"])
        assert matches(["a", ""], ["a"])
        assert not matches(["a"], ["a", "b"])
        assert not matches(["a ... c"], ["a b d"])

    def test_a_longer_fence_holds_shorter_ones(self):
        found = list(
            blocks("````markdown\n```console\n$ false\n```\n````\n\n```console exit=1\n$ false\n```\n")
        )
        assert [block.language for block in found] == ["markdown", "console"]
        assert found[1].marks == {"exit": "1"}

    def test_a_command_may_go_on_over_lines(self):
        (block,) = blocks('```console\n$ echo a \\\n    b\na b\n$ echo "it\'s\n$ one"\n$ true\n```\n')
        assert [(step.command, step.shown) for step in steps(block)] == [
            ("echo a \\\n    b", ["a b"]),
            ('echo "it\'s\n$ one"', []),
            ("true", []),
        ]

    def test_a_wrong_page_is_found_out(self, tmp_path):
        place = Workplace(tmp_path, demo=None)
        run_block(Block("console", {}, ("$ echo one", "one"), 1), place)
        with pytest.raises(AssertionError, match="but the page shows"):
            run_block(Block("console", {}, ("$ echo one", "two"), 1), place)
        with pytest.raises(AssertionError, match="ended with 1"):
            run_block(Block("console", {}, ("$ false",), 1), place)
        with pytest.raises(AssertionError):
            run_block(Block("python", {}, ("raise SystemExit(1)",), 1), place)
