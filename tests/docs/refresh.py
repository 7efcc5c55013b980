"""Write what the commands really say into the pages: `python tests/docs/refresh.py [PAGE...]`.

A shown output that still matches, `...` included, stays as it is. One that does not is replaced by
all that was said; the writer shortens it again where that is too much to read.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pages import (
    ROOT,
    Block,
    Workplace,
    blocks,
    is_run,
    is_run_elsewhere,
    makes_demo,
    matches,
    name,
    pages,
    steps,
)


def refreshed(block: Block, place: Workplace) -> list[str]:
    """The lines of a console block with its commands' real output."""
    lines: list[str] = []
    for step in steps(block):
        code, said = place.run(step.command)
        if code != int(block.marks.get("exit", "0")):
            sys.exit(f"line {block.line}: `{step.command}` ended with {code}:\n" + "\n".join(said))
        lines += f"$ {step.command}".splitlines()
        lines += said if step.shown and not matches(step.shown, said) else step.shown
    return lines


def refresh(page: Path, place: Workplace) -> bool:
    """Run a page; return whether it changed."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    shift = 0
    for block in blocks(text):
        if "file" in block.marks:
            place.write(block)
        if not is_run(block):
            continue
        if block.language == "python":
            code, said = place.run_python(block)
            if code != int(block.marks.get("exit", "0")):
                sys.exit(f"line {block.line}: the script ended with {code}:\n" + "\n".join(said))
            continue
        start = block.line + shift
        made = refreshed(block, place)
        lines[start : start + len(block.lines)] = made
        shift += len(made) - len(block.lines)
    changed = "\n".join(lines) + "\n"
    if changed != text:
        page.write_text(changed, encoding="utf-8")
    return changed != text


def main() -> None:
    chosen = [Path(argument).resolve() for argument in sys.argv[1:]] or [
        page for page in pages() if not is_run_elsewhere(page)
    ]
    with tempfile.TemporaryDirectory() as folder:
        first = Workplace(Path(folder, "demo"), demo=None)
        first.run("grade demo --quiet --out out/demo")
        for number, page in enumerate(chosen):
            before = None if makes_demo(page) else first.folder / "out" / "demo"
            place = Workplace(Path(folder, str(number)), before)
            sys.stderr.write(f"{name(page)}: {'changed' if refresh(page, place) else 'unchanged'}\n")


if __name__ == "__main__":
    assert (ROOT / "docs").is_dir()
    main()
