"""Draw time and memory against the number of runs as an SVG, without a chart library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from page import BARE, INCREMENTAL, RESCORE, SCORE

LINES = {BARE: "#6b7280", INCREMENTAL: "#0f766e", RESCORE: "#1d4ed8", SCORE: "#b45309"}
WIDTH, HEIGHT = 380, 280
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 46
STEPS = (1, 2, 2.5, 5, 10)

Row = Mapping[str, Any]


def render_plot(measured: Sequence[Row]) -> str:
    """Return two panels side by side: seconds and MB over runs."""
    rows = [row for row in measured if row["what"] in LINES]
    panels = [
        _panel(rows, "wall_s", "Seconds from start to end", 0),
        _panel(rows, "peak_mb", "Peak memory, MB", WIDTH),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT + 24}" font-size="12"'
        ' font-family="system-ui, sans-serif" role="img" aria-label="Time and memory against the number of runs">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
        + "\n".join([*panels, _legend()])
        + "\n</svg>\n"
    )


def _panel(rows: Sequence[Row], field: str, title: str, offset: int) -> str:
    across = _ticks(max(row["size"] for row in rows))
    upward = _ticks(max(row[field] for row in rows))

    def x(value: float) -> float:
        return offset + LEFT + value / across[-1] * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / upward[-1] * (HEIGHT - TOP - BOTTOM)

    parts = [_text(offset + LEFT, 20, title, weight="600")]
    for tick in upward:
        parts.append(_rule(x(0), y(tick), x(across[-1]), y(tick)))
        parts.append(_text(x(0) - 6, y(tick) + 4, f"{tick:,g}", anchor="end"))
    parts += [_text(x(tick), HEIGHT - BOTTOM + 18, _short(tick), anchor="middle") for tick in across]
    parts.append(_text(x(across[-1] / 2), HEIGHT - 8, "runs", anchor="middle"))
    for name, own in groupby(
        sorted(rows, key=lambda row: (row["what"], row["size"])), lambda row: row["what"]
    ):
        points = [(x(row["size"]), y(row[field])) for row in own]
        parts += _line(points, LINES[name])
    return "\n".join(parts)


def _line(points: Sequence[tuple[float, float]], colour: str) -> Iterable[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)


def _legend() -> str:
    parts, left = [], LEFT
    for name, colour in LINES.items():
        parts.append(f'<rect x="{left}" y="{HEIGHT + 6}" width="12" height="4" fill="{colour}"/>')
        parts.append(_text(left + 18, HEIGHT + 12, name))
        left += 40 + 7 * len(name)
    return "\n".join(parts)


def _ticks(most: float) -> list[float]:
    """Round values from 0 to beyond the most, four or five of them."""
    scale = 10.0 ** (len(str(int(most))) - 1) / 10
    step = next(
        size * scale * factor for factor in (1, 10) for size in STEPS if size * scale * factor * 5 >= most
    )
    ticks = [0.0]
    while ticks[-1] < most:
        ticks.append(ticks[-1] + step)
    return ticks


def _short(size: float) -> str:
    return f"{size / 1_000:g}k" if size else "0"


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e5e7eb"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "400") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="#111827">'
        f"{escape(text)}</text>"
    )
