"""Text of any form is read in time that grows with its length alone."""

from __future__ import annotations

import time

import polars as pl
import pytest
from small_inputs import run, task, write_lines

MANY = 10_000_000
SOME = 400_000
CHARACTERS = ("a", "1", "-", ".")
PATTERNS = (
    *("1,", "1.5e", "a.b-", "\n- ", "| ", "#*", "not ", "80.9% ", "SCH-001 ", "forty ", "\u00e9", "\u200b"),
    *("(", '"])}', "a 80.9 ; ", "1/2/", "x-", "'s ", "1 000,", "-$", "%", "it's no ", "\u2013 1"),
)
"""What the readers of tokens, numbers, entries and entities look for, over and over."""

SECONDS = 150
"""A reader in square time would take hours."""


@pytest.mark.slow
def test_ten_million_times_the_same_character_and_other_patterns_are_scored_in_seconds(grade, tmp_path):
    write_lines(tmp_path / "packs" / "tasks.jsonl", [task("T-1"), task("T-2", track=3)])
    lengths = [run(0, f"length {n}", key_findings=[mark * MANY]) for n, mark in enumerate(CHARACTERS)]
    patterns = [
        run(0, f"pattern {n}", "T-2", key_findings=[text], limitations=[text[: SOME // 10]])
        | {"structured_metrics": {text[:100]: text[: SOME // 10]}, "raw_response_text": text[: SOME // 10]}
        for n, text in enumerate((mark * SOME)[:SOME] for mark in PATTERNS)
    ]
    write_lines(tmp_path / "runs.jsonl", [*lengths, *patterns])
    start = time.monotonic()
    finished = grade("score", "runs.jsonl", "--packs", "packs", "--out", "out")
    elapsed = time.monotonic() - start
    assert finished.returncode == 0, finished.stderr
    assert pl.read_parquet(tmp_path / "out" / "task_scores.parquet").height == len(CHARACTERS) + len(PATTERNS)
    assert elapsed < SECONDS
