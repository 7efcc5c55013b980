"""Any text can be read as an answer, in time that grows with its length, and places point into it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grade.answers.lines import evened
from grade.answers.plain import plain
from grade.answers.read import ReadAnswer, read_answer

PIECES = st.sampled_from(
    [
        "## Findings",
        "**Limitations:**",
        "Sources",
        "- ",
        "1. ",
        "82.4%",
        "| a | b |",
        "|---|---|",
        "```",
        "json",
        "{",
        "}",
        "rate: 82.4%",
        "sessions.csv",
        ", column status",
        "U.S. ",
        "e.g. ",
        "***",
        "__",
        "`",
        "[x](y)",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "    ",
        "\t",
        "> ",
        "===",
        "---",
        "A sentence.",
        " word",
        "<think>",
        "</think>",
        "İ",
        "\u2028",
        "\0",
        "😀",
        "\ufeff",
        ":",
        ".",
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join))

HOSTILE = {
    "stars": "*",
    "low lines": "_",
    "backticks": "`",
    "brackets": "[",
    "closed brackets": "[](",
    "bars": "|",
    "bar rows": "|a|b|\n",
    "hashes": "#",
    "quotes": "> ",
    "quote marks": ">",
    "spaces": " ",
    "tabs": "\t",
    "dots": ".",
    "dots and brackets": ".)",
    "digits": "1",
    "thousands": "1,000,",
    "numbering": "1. ",
    "bullets": "- ",
    "items": "- a\n",
    "nested items": "- a:\n  - b:\n    - c\n",
    "line ends": "\n",
    "returns": "\r",
    "colons": "a:",
    "metric lines": "a: 1%\n",
    "same metric": "rate: 5\nrate: 6\n",
    "files": "a.csv ",
    "joined files": "a.a.",
    "columns": "a.csv, column b, c, d ",
    "column lists": "a.csv, columns " + "b, " * 40,
    "abbreviations": "e.g. ",
    "sentences": "It is. ",
    "fences": "```\n",
    "open fences": "````\n~~~\n",
    "growing fences": "~~~ x\n",
    "braces": "{",
    "object": '{"a":',
    "links": "[a](b) ",
    "tags": "<br>",
    "thinking": "<think>",
    "setext": "a\n===\n",
    "rules": "- - -\n",
    "bold": "**a**\n",
    "bold label": "**a:** b\n",
    "dividers": "|-|-|\n",
    "escapes": "\\",
    "escaped bars": "\\|",
    "equals": "=",
    "dashes": "-",
    "headings": "# a\n",
    "cautions": "cannot be very ",
    "parens": "(",
    "paths": "a/b-",
    "percent": "5 % ",
}
SIZE = 150_000
ALLOWED_S = 12.0
"""Well under a second on a free machine; what does not grow linearly takes minutes or more."""

MEGABYTE = 1_000_000
ALLOWED_FOR_A_MEGABYTE_S = 60.0


def spans_of(read: ReadAnswer):
    for entry in [*read.key_findings, *read.limitations]:
        yield from entry.spans
    yield from read.metric_spans.values()
    yield from (citation.span for citation in read.evidence_citations)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_any_text_is_read_and_places_lie_within_it(text):
    read = read_answer(text)
    for start, end in spans_of(read):
        assert 0 <= start <= end <= len(text)
    assert read_answer(text) == read


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_an_entry_is_what_stands_at_its_place(text):
    even = evened(text)
    assert len(even) == len(text)
    for entry in [*(read := read_answer(text)).key_findings, *read.limitations]:
        assert entry.text
        if len(entry.spans) == 1 and not even.lstrip().startswith("{") and "```" not in even:
            assert plain(even[entry.spans[0].start : entry.spans[0].end]) == entry.text


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.text("abc ,%0123456789", min_size=1, max_size=40).filter(lambda text: any(map(str.isalnum, text))),
        max_size=8,
    )
)
def test_bullets_under_a_heading_come_back_one_by_one(entries):
    wanted = [" ".join(entry.split()) for entry in entries]
    text = "## Key findings\n" + "".join(f"- {entry}\n" for entry in wanted)
    assert [entry.text for entry in read_answer(text).key_findings] == wanted


@pytest.mark.parametrize("name", HOSTILE)
def test_repeating_anything_takes_no_time(name):
    unit = HOSTILE[name]
    text = (unit * (SIZE // len(unit) + 1))[:SIZE]
    started = time.perf_counter()
    read_answer(text)
    assert time.perf_counter() - started < ALLOWED_S


def test_a_wide_header_costs_once_and_not_in_every_row():
    text = "|a" * 30_000 + "|\n" + "|-" * 30_000 + "|\n" + "|x|y|\n" * 30_000
    started = time.perf_counter()
    assert len(read_answer(text).key_findings) == 10_000
    assert time.perf_counter() - started < ALLOWED_S


@pytest.mark.parametrize(
    "text",
    [
        "## Findings\n- " + "x" * 100_000 + ":\n" + "  - b\n" * 3_000,
        "## Findings\n| n | " + "x" * 100_000 + " |\n|---|---|\n" + "| a | b |\n" * 3_000,
        "## Findings\n" + "".join(" " * number + "- a:\n" for number in range(1_000)),
    ],
    ids=["label", "header", "nested labels"],
)
def test_what_is_read_does_not_outgrow_the_answer(text):
    read = read_answer(text)
    assert sum(len(entry.text) for entry in read.key_findings) <= 2 * len(text)


@pytest.mark.parametrize("unit", ["a.csv ", "|a|b|\n"])
def test_a_megabyte_takes_seconds(unit):
    started = time.perf_counter()
    read_answer("## Findings\n" + unit * (MEGABYTE // len(unit)))
    assert time.perf_counter() - started < ALLOWED_FOR_A_MEGABYTE_S
