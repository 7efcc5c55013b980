"""Charts as inline SVG with relative coordinates: they fit any width and take the page's colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grade.report.html.markup import Html, tag
from grade.report.markdown import NOT_MEASURED, score

_ROW: Final = 22
_STEPS: Final = 10


@dataclass(frozen=True, slots=True)
class Mark:
    """A score of a model with its interval; None where there is none.

    Attributes:
        label: The model.
        estimate: The score.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    label: str
    estimate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a scatter chart.

    Attributes:
        number: The sign beside it; a table tells what it stands for.
        title: What it is, for those who hover.
        x: Its place from left to right.
        y: Its place from bottom to top.
    """

    number: int
    title: str
    x: float
    y: float


def axis_start(values: Sequence[float]) -> float:
    """Return where an axis that ends at 1 begins, so that all values stand on it.

    Examples:
        >>> axis_start([0.72, 0.9]), axis_start([]), axis_start([0.99])
        (0.7, 0.0, 0.9)
    """
    smallest = min(values, default=0.0)
    return max(0, min(math.floor(smallest * _STEPS + 1e-9), _STEPS - 1)) / _STEPS


def interval_chart(title: str, marks: Sequence[Mark], *, start: float) -> Html:
    """Return a chart of one measure: a row per model with a dot, its interval and the numbers.

    Args:
        title: The measure.
        marks: The models, from the top.
        start: Where the axis begins; it ends at 1.
    """
    rows = [
        tag(
            "tr",
            tag("th", mark.label, scope="row"),
            tag("td", _whisker(mark, start)),
            tag("td", score(mark.estimate), class_="number"),
        )
        for mark in marks
    ]
    axis = tag(
        "tr",
        tag("th"),
        tag("td", tag("span", f"{start:.1f}"), tag("span", "1.0"), class_="axis"),
        tag("td"),
        aria_hidden="true",
    )
    return tag("table", tag("caption", title), tag("tbody", rows, axis), class_="whiskers")


def scatter(points: Sequence[Point], *, x_title: str, y_title: str, start: float) -> Html:
    """Return a scatter chart; x begins at 0, y runs from `start` to 1.

    Args:
        points: The points.
        x_title: What x is, with its unit.
        y_title: What y is.
        start: Where the vertical axis begins.
    """
    widest = max((point.x for point in points), default=0.0) or 1.0
    dots = [
        tag(
            "g",
            tag("title", point.title),
            tag("circle", cx=_at(4, 92, point.x / widest), cy=_up(point.y, start), r=6, class_="dot"),
            tag("text", str(point.number), x=_at(4, 92, point.x / widest), y=_up(point.y, start), dx=9, dy=4),
        )
        for point in points
    ]
    frame = [
        tag("line", x1="4%", x2="96%", y1="90%", y2="90%", class_="grid"),
        tag("line", x1="4%", x2="4%", y1="5%", y2="90%", class_="grid"),
        tag("text", f"{y_title}, {start:.1f} to 1", x="4%", y=12),
        tag("text", f"0 to {widest:.4g}: {x_title}", x="96%", y="98%", text_anchor="end"),
    ]
    label = f"{y_title} against {x_title}; the table below has the numbers"
    return tag("svg", frame, dots, class_="scatter", role="img", aria_label=label)


def _whisker(mark: Mark, start: float) -> Html:
    if mark.estimate is None:
        return tag("small", "not measured")
    x = _place(mark.estimate, start)
    told = score(mark.estimate)
    parts = [tag("line", x1=f"{step}%", x2=f"{step}%", y1=0, y2=_ROW, class_="grid") for step in (0, 50, 100)]
    if mark.low is not None and mark.high is not None:
        ends = {"x1": _place(mark.low, start), "x2": _place(mark.high, start)}
        parts.append(tag("line", **ends, y1=_ROW / 2, y2=_ROW / 2, class_="range"))
        told += f", interval {mark.low:.3f} to {mark.high:.3f}"
    else:
        told += ", no interval"
    parts.append(tag("circle", cx=x, cy=_ROW / 2, r=4, class_="dot"))
    return tag("svg", tag("title", f"{mark.label}: {told}"), parts, height=_ROW, role="img", aria_label=told)


def _place(value: float, start: float) -> str:
    """Return the place on the axis, with some room for the dot at both ends."""
    return _at(2, 96, max(0.0, value - start) / (1 - start))


def _at(first: float, width: float, share: float) -> str:
    return f"{first + width * share:.2f}%"


def _up(value: float, start: float) -> str:
    return _at(90, -80, max(0.0, value - start) / (1 - start))


def missing(value: float | None, pattern: str = "{:.3f}") -> str:
    """Return a number in a pattern, or the sign for one that was not measured."""
    return NOT_MEASURED if value is None else pattern.format(value)
