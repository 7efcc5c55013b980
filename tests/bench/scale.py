"""What a run costs: processor seconds and bytes, from two sizes; `docs/explanation/scale.md` rests on it.

The cost of one more run is the slope between the sizes, so that what every command pays once
does not count as a cost of runs: `python tests/bench/scale.py --help`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import generator
from measure import ROOT, Measured, measure
from tasks import read_tasks

PACKS = ROOT / "data" / "packs"
GRADE = [sys.executable, "-c", "from pipelines.cli import main; main()"]
MILLION = 1_000_000
ENGINES = ("local", "ray")


class Cost(NamedTuple):
    """What one number of runs took.

    Attributes:
        n_runs: The runs.
        steps: What each command took, by what it does.
        n_bytes: Bytes, by what they are.
    """

    n_runs: int
    steps: dict[str, Measured]
    n_bytes: dict[str, int]


def measure_size(n_runs: int, folder: Path, engines: tuple[str, ...]) -> Cost:
    """Make runs, put them in a store and score them."""
    place = folder / str(n_runs)
    place.mkdir()
    generator.write_runs(read_tasks(PACKS), place / "runs.jsonl", n_runs=n_runs)
    steps = {"ingest": measure([*GRADE, "ingest", "runs.jsonl", "--store", "store"], folder=place)}
    for engine in engines:
        scoring = [*GRADE, "rescore", "store", "--packs", str(PACKS), "--out", engine, "--engine", engine]
        steps[f"rescore, {engine}"] = measure([*scoring, "--full"], folder=place)
    last = place / engines[-1]
    texts, tables = size(last, "runs.parquet"), size(last, "*.parquet")
    reports = size(last, "**/*") - tables
    sizes = {"answers, JSON lines": size(place, "runs.jsonl"), "store": size(place / "store", "*")}
    return Cost(n_runs, steps, sizes | {"runs": texts, "other tables": tables - texts, "reports": reports})


def size(folder: Path, pattern: str) -> int:
    """Return the bytes of the files that a pattern finds."""
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


def table(few: Cost, many: Cost) -> list[str]:
    """Return a Markdown table: what was measured, and what a million runs more would take."""
    n_more = many.n_runs - few.n_runs
    lines = [
        f"| what | {few.n_runs:,} runs | {many.n_runs:,} runs | a million more |",
        "|---|---:|---:|---:|",
    ]
    for name, (one, other) in {name: (few.steps[name], many.steps[name]) for name in few.steps}.items():
        slope = (other.cpu_s - one.cpu_s) / n_more * MILLION
        lines += [
            f"| {name}: processor | {one.cpu_s:.1f} s | {other.cpu_s:.1f} s | {slope / 3600:.2f} h |",
            f"| {name}: wall | {one.wall_s:.1f} s | {other.wall_s:.1f} s | |",
            f"| {name}: peak memory | {one.peak_mb:,.0f} MB | {other.peak_mb:,.0f} MB | |",
        ]
    for name in few.n_bytes:
        one, other = few.n_bytes[name], many.n_bytes[name]
        slope = (other - one) / n_more * MILLION
        lines.append(f"| {name} | {one / 1e6:,.1f} MB | {other / 1e6:,.1f} MB | {slope / 1e9:.2f} GB |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("few", type=int, nargs="?", default=5_000, help="runs of the smaller size")
    parser.add_argument("many", type=int, nargs="?", default=20_000, help="runs of the larger size")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["local"], help="engines to measure")
    parser.add_argument(
        "--runs-per-group", type=int, default=generator.RUNS_PER_GROUP, help="answers of a model to a task"
    )
    options = parser.parse_args()
    generator.RUNS_PER_GROUP = options.runs_per_group
    with tempfile.TemporaryDirectory(prefix="grade-scale-") as name:
        sizes = (options.few, options.many)
        few, many = (measure_size(n_runs, Path(name), tuple(options.engines)) for n_runs in sizes)
    print("\n".join(table(few, many)))


if __name__ == "__main__":
    main()
