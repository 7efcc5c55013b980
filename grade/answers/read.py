"""From a model's raw answer to key findings, limitations, metrics and citations, each with its place.

The answer is cut into blocks, headings and labels say what each is part of, and each part is read
after its kind: a list item is one entry, prose is cut into sentences, a table gives a row at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from grade.answers.blocks import Span, blocks
from grade.answers.cautions import goes_on, is_caution, is_chatter
from grade.answers.figures import figure, key_of
from grade.answers.lines import evened
from grade.answers.objects import read_object
from grade.answers.placing import Placed, placed
from grade.answers.plain import plain
from grade.answers.rows import cells_of, read_row, row_text
from grade.answers.sentences import sentences
from grade.answers.sources import Source, sources

MOST_ENTRIES: Final = 10_000
"""Entries of one field that are read; what comes after them is in the raw text only."""


_PLAIN_CODE: Final = frozenset({"", "text", "txt"})
_NOTHING: Final = frozenset({"n/a", "na", "none", "none.", "nil"})
_LONGEST_LABEL: Final = 200
"""Characters; what is repeated before other entries must be short, or an answer would grow without bound."""
_MOST_NAMESAKES: Final = 100


class Entry(NamedTuple):
    """A finding or caveat.

    Attributes:
        text: As it reads, without marks.
        spans: Where it stands; an item with a heading item above it has both places.
    """

    text: str
    spans: tuple[Span, ...]


class Citation(NamedTuple):
    """A source that the answer names.

    Attributes:
        text: The citation as it reads.
        file: The file, None when none is named.
        column: The column, None when none is named.
        span: Where it stands.
    """

    text: str
    file: str | None
    column: str | None
    span: Span


@dataclass(slots=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        key_findings: Its findings, in its own order.
        limitations: The caveats that it states.
        structured_metrics: Its metrics by name.
        metric_spans: Where each metric stands, by name.
        evidence_citations: The sources that it names.
    """

    key_findings: list[Entry] = field(default_factory=list)
    limitations: list[Entry] = field(default_factory=list)
    structured_metrics: dict[str, Any] = field(default_factory=dict)
    metric_spans: dict[str, Span] = field(default_factory=dict)
    evidence_citations: list[Citation] = field(default_factory=list)


def read_answer(text: str) -> ReadAnswer:
    r"""Read a raw answer.

    Args:
        text: Markdown or plain text, as the model wrote it.

    Returns:
        The fields, with character offsets into `text`.

    Examples:
        >>> answer = read_answer("## Findings\n- **82.4%** of sessions were held (visits.csv, column held)")
        >>> answer.key_findings[0].text
        '82.4% of sessions were held (visits.csv, column held)'
        >>> answer.evidence_citations[0][1:3]
        ('visits.csv', 'held')
    """
    even = evened(text)
    reading = _Reading(even)
    if even.lstrip().startswith("{") and reading.take_object(Span(0, len(even))):
        return reading.finished()
    pieces = list(placed(even, blocks(even)))
    roles = {piece.role for piece in pieces if piece.is_section}
    for piece in pieces:
        reading.take(piece, splits_cautions="limitations" not in roles, has_findings="findings" in roles)
    return reading.finished()


class _Reading:
    """The answer so far; takes in one block after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = ReadAnswer()
        self._prose: list[Entry] = []
        self._above: list[tuple[int, Entry]] = []
        self._header: tuple[Span | None, tuple[str, ...]] = (None, ())
        self._cited: set[tuple[str, str | None]] = set()

    def finished(self) -> ReadAnswer:
        read = self._read
        if not read.key_findings:
            read.key_findings = self._prose
        read.key_findings = read.key_findings[:MOST_ENTRIES]
        read.limitations = read.limitations[:MOST_ENTRIES]
        read.evidence_citations = read.evidence_citations[:MOST_ENTRIES]
        return read

    def take(self, piece: Placed, *, splits_cautions: bool, has_findings: bool) -> None:
        role, block = piece.role, piece.block
        if block.kind == "code":
            if not self.take_object(block.span) and block.info in _PLAIN_CODE and role != "other":
                self._without_figures(piece)
            return
        if role == "citations":
            self._cite_all(piece)
            return
        for found in sources(self._text, block.span):
            self._cite(plain(self._text[found.span.start : found.span.end]), found, found.span)
        if role == "other":
            return
        entries = self._entries(piece)
        if role == "limitations":
            self._read.limitations += entries
        elif role in {"findings", "metrics"}:
            self._read.key_findings += entries
        else:
            self._take_prose(entries, splits_cautions=splits_cautions, has_findings=has_findings)

    def _take_prose(self, entries: list[Entry], *, splits_cautions: bool, has_findings: bool) -> None:
        """Sort what stands under no telling heading; beside a section of findings it is none."""
        was_caution = False
        for entry in entries:
            was_caution = is_caution(entry.text) or (was_caution and goes_on(entry.text))
            if splits_cautions and was_caution:
                self._read.limitations.append(entry)
            elif not is_chatter(entry.text):
                (self._prose if has_findings else self._read.key_findings).append(entry)

    def _entries(self, piece: Placed) -> list[Entry]:
        if piece.block.kind == "row":
            self._above.clear()
            return self._row(piece)
        if piece.block.kind == "item":
            return self._item(piece)
        self._above.clear()
        return self._paragraph(piece)

    def _row(self, piece: Placed) -> list[Entry]:
        header = piece.block.header
        if header is not None and header != self._header[0]:
            names = cells_of(self._text, header)  # once for all rows of a table
            self._header = (header, tuple(name if len(name) <= _LONGEST_LABEL else "" for name in names))
        row = read_row(self._text, piece.block, self._header[1])
        if row is None:
            return []
        is_metrics = piece.role == "metrics" or row.is_of_metrics
        named = row.figures() if is_metrics or row.is_pair else []
        for name, value in named:
            self._measure(name, value, piece.span)
        if is_metrics and named:
            return []
        return [Entry(row_text(row), row.spans)]

    def _item(self, piece: Placed) -> list[Entry]:
        level = piece.block.level
        while self._above and self._above[-1][0] >= level:
            self._above.pop()
        entry = Entry(plain(self._text[piece.span.start : piece.span.end]), (piece.span,))
        stated = figure(self._text, piece.span)
        if self._above:
            above = self._above[-1][1]
            entry = Entry(f"{above.text} {entry.text}", (*above.spans, *entry.spans))
        if piece.block.leads and entry.text.endswith(":") and len(entry.text) <= _LONGEST_LABEL:
            self._above.append((level, entry))
            return []
        if stated is not None and piece.role != "limitations":
            self._measure(self._named(stated.name), stated.value, stated.span)
            if piece.role != "findings":
                return []
        return [entry] if _says_something(entry.text) else []

    def _named(self, name: str) -> str:
        """Put the label above an item before its metric's name, unless it only says how things are cut."""
        above = key_of(self._above[-1][1].text) if self._above else ""
        return f"{above}_{name}" if above and not above.startswith("by_") else name

    def _paragraph(self, piece: Placed) -> list[Entry]:
        entries: list[Entry] = []
        for span in self._without_figures(piece):
            cut = _with_bold_lead(self._text, list(sentences(self._text, span)))
            read = [Entry(plain(self._text[one.start : one.end]), (one,)) for one in cut]
            entries += [entry for entry in read if _says_something(entry.text)]
        if piece.block.leads and entries and entries[-1].text.endswith(":"):
            entries.pop()
        return entries

    def _without_figures(self, piece: Placed) -> list[Span]:
        """Take the metric lines out of a paragraph; what is left between them is prose."""
        if piece.role == "limitations":
            return [piece.span]
        stated = [(line, figure(self._text, line)) for line in _lines(self._text, piece.span)]
        found = [one for _, one in stated if one is not None]
        for one in found:
            self._measure(one.name, one.value, one.span)
        if found or piece.role == "metrics":
            return [line for line, one in stated if one is None]
        return [piece.span]

    def _measure(self, name: str, value: Any, span: Span) -> None:  # noqa: ANN401 - any JSON value
        """Keep a metric; another value under a name that is taken gets a number behind it."""
        metrics = self._read.structured_metrics
        number, free = 2, name
        while free in metrics and metrics[free] != value and number <= _MOST_NAMESAKES:
            free, number = f"{name}_{number}", number + 1
        if free not in metrics and len(metrics) < MOST_ENTRIES:
            metrics[free] = value
            self._read.metric_spans[free] = span

    def _cite_all(self, piece: Placed) -> None:
        """Read the entries of a section of sources: each is a citation, with or without a file."""
        block = piece.block
        if block.kind == "paragraph":
            if block.leads:
                return
            spans = [one for line in _lines(self._text, piece.span) for one in sentences(self._text, line)]
        else:
            spans = [piece.span]
        for span in spans:
            text = plain(self._text[span.start : span.end].strip("| "))
            found = list(sources(self._text, span))
            for source in found:
                self._cite(text, source, span)
            if not found and any(character.isalnum() for character in text) and block.kind != "row":
                self._read.evidence_citations.append(Citation(text, None, None, span))

    def _cite(self, text: str, source: Source, span: Span) -> None:
        for column in source.columns or (None,):
            key = (source.file.lower(), column)
            if key not in self._cited and not (column is None and self._is_cited(source.file)):
                self._cited.add(key)
                self._cited.add((source.file.lower(), None))
                self._read.evidence_citations.append(Citation(text, source.file, column, span))

    def _is_cited(self, file: str) -> bool:
        return (file.lower(), None) in self._cited

    def take_object(self, place: Span) -> bool:
        """Read a stretch that is JSON; tell whether it was."""
        found = read_object(self._text, place)
        if found is None:
            return False
        self._read.key_findings += [Entry(text, (span,)) for text, span in found.key_findings]
        self._read.limitations += [Entry(text, (span,)) for text, span in found.limitations]
        for name, value in found.metrics.items():
            self._measure(name, value, place)
        for text, file, column in found.citations:
            self._read.evidence_citations.append(Citation(text, file, column, place))
        return True


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text) and text.lower() not in _NOTHING


def _with_bold_lead(text: str, cut: list[Span]) -> list[Span]:
    """Leave a bold lead such as "**By school.**" with the sentence that it stands before."""
    if len(cut) < 2 or not text.startswith("**", cut[0].start) or not text.endswith("**", 0, cut[0].end):  # noqa: PLR2004
        return cut
    return [Span(cut[0].start, cut[1].end), *cut[2:]]


def _lines(text: str, span: Span) -> list[Span]:
    found, start = [], span.start
    for line in text[span.start : span.end].split("\n"):
        found.append(Span(start, start + len(line)))
        start += len(line) + 1
    return found
