"""The answer reader against answers whose fields were written down by hand; see `tests/spec/answers`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from grade.answers.plain import plain
from grade.answers.read import read_answer

FILES = sorted(Path(__file__).with_name("answers").glob("*.toml"))
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in FILES
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


def test_there_are_fifty_answers_or_more():
    assert len(CASES) >= 50


@pytest.mark.parametrize("case", CASES)
def test_the_fields_are_the_ones_that_a_reader_finds(case):
    read = read_answer(case["answer"])
    assert [entry.text for entry in read.key_findings] == case["key_findings"]
    assert [entry.text for entry in read.limitations] == case["limitations"]
    assert read.structured_metrics == case.get("metrics", {})
    if "citations" in case:
        cited = [[citation.file or "", citation.column or ""] for citation in read.evidence_citations]
        assert cited == case["citations"]


@pytest.mark.parametrize("case", CASES)
def test_every_field_stands_where_it_is_said_to(case):
    text = case["answer"]
    read = read_answer(text)
    for entry in [*read.key_findings, *read.limitations]:
        last = entry.spans[-1]
        if len(entry.spans) == 1 and "\\" not in text:
            assert plain(text[last.start : last.end]) == entry.text
    for name, span in read.metric_spans.items():
        assert str(read.structured_metrics[name])[:2].lstrip("{").strip("'") in text[
            span.start : span.end
        ].replace(",", "")
    for citation in read.evidence_citations:
        assert citation.file is None or citation.file in text[citation.span.start : citation.span.end]
