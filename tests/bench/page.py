"""Tell the figures of a benchmark: a table for the terminal, and the page `docs/performance.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BARE, SCORE, RESCORE, INCREMENTAL, TWIN = (
    "bare read",
    "score",
    "rescore",
    "rescore, one task changed",
    "plain-Python twin",
)
MOST_MEMORY_MB = 2_000
RESCORE_BAR, SCORE_BAR, TWIN_BAR = 20, 30, 100
GROWTH_BAR = 1.15
LINEAR_BAR = 1.2

Figures = Mapping[str, Any]
Row = Mapping[str, Any]

_PAGE = """\
# Performance

For engineers, and for whoever plans a benchmark of many runs. `make bench` measures this page and writes it.

{conditions}

![Time and memory against the number of runs]({plot})

{table}

- **{bare}**: DuckDB reads the same JSON lines with explicit types into memory, two threads. This is the least that
  any scorer must do, so the distance to it is the figure that matters: `x read` says how many times as long the rest
  takes.
- **{score}**: `grade score` from JSON lines to all tables, result files and scorecards.
- **{rescore}**: `grade rescore --full` from a store that `grade ingest` made.
- **{incremental}**: `grade rescore` after a change of one of the 26 tasks, over the earlier result.
- **{twin}**: the [second scorer in plain Python](decisions/0006-a-plain-python-twin.md), on {twin_runs} runs. Its
  seconds are for these.

Each figure is of a process of its own, its start included; it is the median of {repeats}, and for more than
{once_above} runs, and for the twin, of one.
A run is about 4.5 KB of JSON: five or six findings of 20 to 30 words, three limitations, a few metrics and a raw
response of 40 sentences. Five runs make a group.

## What we hold ourselves to

{bars}

## Measure it yourself

```console skip=slow
$ make bench
$ make bench BENCH_SIZES="5000 20000"
```

The second line takes a few minutes. How it comes that work and memory stay small stands in
[architecture](explanation/architecture.md); how to use a store, in [rescore](how-to/rescore.md).
"""


def render_table(figures: Figures) -> list[str]:
    """Return the table as Markdown, which a terminal shows as well."""
    heads = ("What", "Runs", "Wall s", "CPU s", "Runs/s", "x read", "Peak MB")
    bare = {row["size"]: row for row in figures["measured"] if row["what"] == BARE}
    rows = [heads, ("---", *["--:"] * (len(heads) - 1))]
    rows += [_cells(row, bare[row["size"]]) for row in figures["measured"]]
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    return [
        "| "
        + " | ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in rows
    ]


def _cells(row: Row, bare: Row) -> tuple[str, ...]:
    ratio = _per_run(row) / _per_run(bare)
    return (
        row["what"],
        f"{row['n_runs']:,}",
        f"{row['wall_s']:.1f}",
        f"{row['cpu_s']:.1f}",
        f"{row['n_runs'] / row['wall_s']:,.0f}",
        f"{ratio:,.1f}" if ratio < 100 else f"{ratio:,.0f}",
        f"{row['peak_mb']:,.0f}",
    )


def render_page(figures: Figures, *, plot: str = "performance.svg") -> str:
    """Return the page."""
    return _PAGE.format(
        conditions=_conditions(figures),
        plot=plot,
        table="\n".join(render_table(figures)),
        bars="\n".join(f"- {line}" for line in judge(figures)),
        bare=BARE,
        score=SCORE,
        rescore=RESCORE,
        incremental=INCREMENTAL,
        twin=TWIN,
        twin_runs=f"{figures['twin_runs']:,}",
        repeats=figures["repeats"],
        once_above=f"{figures['once_above']:,}",
    )


def _conditions(figures: Figures) -> str:
    machine, versions = figures["machine"], figures["versions"]
    load = f", with {machine['load']} processes running at the start" if machine["load"] >= 1 else ""
    return (
        f"Measured on {machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GB, "
        f"{machine['system']}{load}; "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + "."
    )


def judge(figures: Figures) -> list[str]:
    """Hold the figures against the bars, one sentence each."""
    rows = {(row["what"], row["size"]): row for row in figures["measured"]}
    sizes = sorted({row["size"] for row in figures["measured"]})
    at = 100_000 if 100_000 in sizes else sizes[-1]
    bare, score, rescore = (rows[name, at] for name in (BARE, SCORE, RESCORE))
    twin = next(row for (name, _), row in rows.items() if name == TWIN)
    named = f"at {at:,} runs"
    lines = [
        _line(
            f"Rescore {named} takes at most {RESCORE_BAR} x the bare read",
            _wall(rescore, bare),
            RESCORE_BAR,
            " x",
        ),
        _line(
            f"Score {named} takes at most {SCORE_BAR} x the bare read", _wall(score, bare), SCORE_BAR, " x"
        ),
        _line(
            f"A run takes the twin at least {TWIN_BAR} times as long as rescore",
            _per_run(twin) / _per_run(rescore),
            TWIN_BAR,
            " x",
            is_least=True,
        ),
        _line(
            f"Peak memory {named} is below {MOST_MEMORY_MB:,} MB",
            max(score["peak_mb"], rescore["peak_mb"]),
            MOST_MEMORY_MB,
            " MB",
        ),
    ]
    more = [size for size in sizes if size > at]
    if more:
        growth = max(
            rows[name, more[-1]]["peak_mb"] / rows[name, at]["peak_mb"]
            for name in (SCORE, RESCORE)
            if (name, more[-1]) in rows
        )
        lines.append(
            _line(f"Peak memory at {more[-1]:,} is at most 1.15 x that {named}", growth, GROWTH_BAR, " x")
        )
    before = [size for size in sizes if size < sizes[-1]]
    if before:
        last, first = sizes[-1], before[-1]
        bend = max(
            _per_run(rows[name, last]) / _per_run(rows[name, first])
            for name in (SCORE, RESCORE)
            if (name, last) in rows
        )
        told = f"A run at {last:,} takes at most 1.2 x as long as at {first:,}, so that time is linear"
        lines.append(_line(told, bend, LINEAR_BAR, " x"))
    return lines


def _wall(row: Row, bare: Row) -> float:
    return row["wall_s"] / bare["wall_s"]


def _per_run(row: Row) -> float:
    return row["wall_s"] / row["n_runs"]


def _line(what: str, value: float, bar: float, unit: str, *, is_least: bool = False) -> str:
    is_met = value >= bar if is_least else value <= bar
    number = f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return f"{what}: {number}{unit}, {'met' if is_met else '**not met**'}."
