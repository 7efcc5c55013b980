"""Tables of a report: headings that sort, cells that know what they sort by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grade.report.html.markup import Attribute, Child, Html, tag
from grade.report.markdown import NOT_MEASURED, percent, score


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column.

    Attributes:
        title: What it says.
        is_number: Cells stand on the right, and sort from the largest.
        note: What the column means, for those who ask.
    """

    title: str
    is_number: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        content: What it shows.
        key: What it sorts by; None sorts last.
        is_heading: It names its row.
        style: CSS of its own, from numbers only.
    """

    content: Child
    key: float | str | None = None
    is_heading: bool = False
    style: str | None = None


def data_table(headings: Sequence[Heading], rows: Iterable[Sequence[Cell]], *, label: str) -> Html:
    """Return a table that scrolls sideways where it is too wide, by keyboard too.

    Args:
        headings: The columns.
        rows: The cells, one for each heading.
        label: What the table is, for those who do not see it.
    """
    head = tag("thead", tag("tr", map(_heading, headings)))
    body = tag("tbody", (tag("tr", map(_cell, cells, headings)) for cells in rows))
    made = tag("table", tag("caption", label, class_="unseen"), head, body, class_="data")
    return tag("div", made, class_="scroll", tabindex="0", role="region", aria_label=label)


def named(content: str) -> Cell:
    """Return a cell that names its row."""
    return Cell(content, content, is_heading=True)


def words(content: str | None) -> Cell:
    """Return a cell of text."""
    return Cell(content or NOT_MEASURED, content)


def count(value: int | None) -> Cell:
    """Return a cell with a whole number."""
    return Cell(NOT_MEASURED if value is None else f"{value:,}", value)


def scored(value: float | None, *, after: Child = None) -> Cell:
    """Return a cell with a score, and maybe something small after it."""
    return Cell([score(value), after], value)


def shared(value: float | None) -> Cell:
    """Return a cell with a share as a percentage."""
    return Cell(percent(value), value)


def interval(low: float | None, high: float | None) -> Child:
    """Return an interval in small print; nothing where there is none."""
    return None if low is None or high is None else tag("small", f" {low:.3f} to {high:.3f}")


def note(*children: Child, kind: str = "note") -> Html:
    """Return a paragraph in small print."""
    return tag("p", *children, class_=kind)


def _heading(heading: Heading) -> Html:
    kind = "number" if heading.is_number else None
    button = tag("button", heading.title, type="button", title=heading.note or None)
    return tag("th", button, scope="col", class_=kind, aria_sort="none")


def _cell(cell: Cell, heading: Heading) -> Html:
    attributes: dict[str, Attribute] = {
        "class": "number" if heading.is_number else None,
        "data_v": cell.key,
        "style": cell.style,
    }
    name, scope = ("th", "row") if cell.is_heading else ("td", None)
    return tag(name, cell.content, scope=scope, **attributes)
