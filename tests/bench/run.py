"""The benchmark: `make bench`, or `python tests/bench/run.py --help`.

Every figure is of a process of its own, on one machine, in one go; repeats take turns, so that
whatever else the machine does falls on all alike. This process loads nothing heavy (`measure`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from measure import ROOT, Measured, measure, typical
from page import BARE, INCREMENTAL, RESCORE, SCORE, TWIN, render_page, render_table
from plot import render_plot

HERE = Path(__file__).parent
PACKS = ROOT / "data" / "packs"
GRADE = [sys.executable, "-c", "from pipelines.cli import main; main()"]
ENGINES = ("polars", "duckdb", "pyarrow", "numpy", "scipy", "msgspec")
TWIN_RUNS = 2_000
ONCE_ABOVE = 100_000
WORK = "work"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[5_000, 20_000, 100_000, 400_000], help="runs to score"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=3,
        help=f"each figure is a median of so many, and of one beyond {ONCE_ABOVE:,} runs",
    )
    parser.add_argument("--twin-runs", type=int, default=TWIN_RUNS, help="runs that the twin scores")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "bench", help="folder for runs and figures"
    )
    parser.add_argument("--page", type=Path, help="Markdown page to write, with its plot beside it")
    return parser.parse_args()


def main() -> None:
    options = parse()
    # Results go away at the very end: some file systems are slow to make files right after others went.
    shutil.rmtree(options.out / WORK, ignore_errors=True)
    options.out.mkdir(parents=True, exist_ok=True)
    figures = {
        "machine": describe_machine(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in ENGINES}},
        "repeats": options.repeats,
        "once_above": ONCE_ABOVE,
        "twin_runs": options.twin_runs,
        "measured": [row for size in options.sizes for row in bench_size(size, options)],
    }
    shutil.rmtree(options.out / WORK, ignore_errors=True)
    (options.out / "bench.json").write_text(json.dumps(figures, indent=2) + "\n")
    print("\n".join(render_table(figures)))
    if options.page:
        options.page.write_text(render_page(figures), encoding="utf-8")
        options.page.with_suffix(".svg").write_text(render_plot(figures["measured"]), encoding="utf-8")


def bench_size(size: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure one size; yield a row per kind of work."""
    runs = write_runs(size, options.out)
    taken: dict[str, list[Measured]] = {}
    repeats = options.repeats if size <= ONCE_ABOVE else 1
    for repeat in range(repeats):
        work = options.out / WORK / f"{size}-{repeat}"
        work.mkdir(parents=True)
        for name, act in actions(runs, work).items():
            say(f"{size:,} runs, {name}, {repeat + 1} of {repeats}")
            taken.setdefault(name, []).append(act())
    for name, measured in taken.items():
        yield row_of(name, size, size, typical(measured))
    if size == max(options.sizes):
        say(f"{options.twin_runs:,} runs, the twin")
        command = [
            sys.executable,
            str(HERE / "twin_sample.py"),
            str(runs),
            str(PACKS),
            str(options.twin_runs),
        ]
        yield row_of(TWIN, size, options.twin_runs, measure(command, folder=HERE))


def actions(runs: Path, work: Path) -> dict[str, Callable[[], Measured]]:
    """What is measured, in the order in which it must happen."""
    scored = [*GRADE, "score", str(runs), "--packs", str(PACKS), "--out", "scored", "--full", "--quiet"]
    rescored = [*GRADE, "rescore", "store", "--packs", "packs", "--out", "rescored", "--quiet"]
    prepare(runs, work)

    def incremental() -> Measured:
        change_gold(work / "packs")
        return measure(rescored, folder=work)

    return {
        BARE: lambda: measure([sys.executable, str(HERE / "bare_read.py"), str(runs)], folder=work),
        SCORE: lambda: measure(scored, folder=work),
        RESCORE: lambda: measure([*rescored, "--full"], folder=work),
        INCREMENTAL: incremental,
    }


def prepare(runs: Path, work: Path) -> None:
    """Make the store, which is no part of what is measured, and packs of our own to change."""
    shutil.copytree(PACKS, work / "packs")
    measure([*GRADE, "ingest", str(runs), "--store", "store", "--quiet"], folder=work)


def change_gold(packs: Path) -> None:
    """Change one fact of one task."""
    path = min(packs.glob("*/tasks.jsonl"))
    first, *others = path.read_text(encoding="utf-8").splitlines()
    task = json.loads(first)
    task["gold_facts"][0]["claim"] += " This was changed."
    path.write_text("\n".join([json.dumps(task), *others]) + "\n", encoding="utf-8")


def write_runs(size: int, folder: Path) -> Path:
    """Return a file of generated runs, made unless an earlier benchmark left it."""
    path = folder / f"runs-{size}.jsonl"
    if not path.exists():
        say(f"{size:,} runs, writing them")
        command = [sys.executable, str(HERE / "generator.py"), str(PACKS), str(path), str(size)]
        subprocess.run(command, check=True)
    return path


def row_of(name: str, size: int, n_runs: int, measured: Measured) -> dict[str, Any]:
    return {"what": name, "size": size, "n_runs": n_runs, **measured._asdict()}


def describe_machine() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": model or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 1e9, 1),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "load": round(os.getloadavg()[0], 1),
    }


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
