"""The benchmark itself: small sizes go through, and its page and plot say what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from generator import write_runs
from page import BARE, INCREMENTAL, RESCORE, SCORE, TWIN, judge, render_page, render_table
from plot import _ticks, render_plot
from tasks import read_tasks

ROOT = Path(__file__).parents[2]


def figures(*, factor: float = 10.0, growth: float = 1.0) -> dict:
    rows = []
    for size in (20_000, 100_000, 400_000):
        bare = size / 50_000
        peak = 900.0 * (growth if size > 100_000 else 1.0)
        rows += [
            {
                "what": name,
                "size": size,
                "n_runs": size,
                "wall_s": bare * times,
                "cpu_s": bare,
                "peak_mb": peak,
            }
            for name, times in ((BARE, 1), (SCORE, 2 * factor), (RESCORE, factor), (INCREMENTAL, factor / 2))
        ]
    rows.append(rows[0] | {"what": TWIN, "n_runs": 2_000, "wall_s": 60.0})
    machine = {"processor": "P", "cores": 2, "memory_gb": 8.0, "system": "S", "load": 0.1}
    return {
        "machine": machine,
        "versions": {"python": "3"},
        "repeats": 3,
        "once_above": 100_000,
        "twin_runs": 2_000,
        "measured": rows,
    }


def test_the_table_gives_rates_and_ratios():
    lines = render_table(figures())
    assert len({len(line) for line in lines}) == 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rescored = next(row for row in cells if row[:2] == [RESCORE, "100,000"])
    assert rescored == [RESCORE, "100,000", "20.0", "2.0", "5,000", "10.0", "900"]
    assert next(row for row in cells if row[0] == TWIN)[5] == "1,500"


def test_bars_are_judged():
    assert all(line.endswith(", met.") for line in judge(figures()))
    assert sum("not met" in line for line in judge(figures(factor=100, growth=1.3))) == 4
    assert len(judge(figures())) == 6


def test_the_page_shows_table_plot_and_bars():
    text = render_page(figures())
    assert "![Time and memory against the number of runs](performance.svg)" in text
    assert "Rescore at 100,000 runs takes at most 20 x the bare read: 10.0 x, met." in text


def test_the_plot_is_an_image_with_every_point():
    root = ET.fromstring(render_plot(figures()["measured"]))  # noqa: S314 - our own text
    circles = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 2 * 4 * 3


@pytest.mark.parametrize("most", [0.4, 1, 7, 99, 1_234, 400_000])
def test_axes_end_beyond_the_largest_value(most):
    ticks = _ticks(most)
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 3 <= len(ticks) <= 7
    assert len({round(after - before, 9) for before, after in pairwise(ticks)}) == 1


def test_generated_runs_are_of_the_size_that_is_said(tmp_path):
    write_runs(read_tasks(ROOT / "data" / "packs"), tmp_path / "runs.jsonl", n_runs=260)
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert 4_000 < sum(map(len, lines)) / len(lines) < 5_000
    keys = {tuple(json.loads(line)[key] for key in ("model_id", "task_id", "run_index")) for line in lines}
    assert len(keys) == 260
    assert len({model for model, _, _ in keys}) == 2


@pytest.mark.slow
def test_a_small_benchmark_goes_through(tmp_path):
    page = tmp_path / "page.md"
    arguments = (
        "--sizes",
        "130",
        "--repeats",
        "1",
        "--twin-runs",
        "10",
        "--out",
        tmp_path,
        "--page",
        page,
    )
    command = [sys.executable, str(Path(__file__).with_name("run.py")), *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert finished.returncode == 0, finished.stderr
    measured = json.loads((tmp_path / "bench.json").read_text())["measured"]
    assert [row["what"] for row in measured] == [BARE, SCORE, RESCORE, INCREMENTAL, TWIN]
    assert all(row["wall_s"] > 0 and row["cpu_s"] > 0 and row["peak_mb"] > 10 for row in measured)
    assert RESCORE in finished.stdout
    assert page.exists()
    assert page.with_suffix(".svg").exists()
