"""Whatever the bytes: every record is accepted, a counted copy, or refused with a known code."""

from __future__ import annotations

import gzip
import json
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fuzzing import examples

import grade.ingest.feed
from grade.dimensions import WEIGHTS
from grade.ingest.csv import cut_rows
from grade.ingest.reasons import REASONS
from grade.ingest.records import cut_records
from grade.ingest.runs import decode_runs
from grade.ingest.verdicts import decode_verdicts
from grade.schemas import RUNS, check
from pipelines.catalogue import load_catalogue
from pipelines.reading import read_runs

TASK = {
    "task_id": "T",
    "track": 1,
    "title": "t",
    "user_prompt": "p",
    "task_type": "retrieval",
    "allowed_inputs": [],
    "gold_facts": [],
    "gold_insights": [],
    "required_limitations": [],
    "forbidden_claims": [],
    "rubric": {key: {"weight": weight / 100} for key, weight in WEIGHTS.items()},
}

FIRST = b'{"task_id": "T", "model_id": "first", "run_index": 0}'
"""A line that makes a file one of lines."""

unhurried = settings(max_examples=examples(100), deadline=None)
"""The first example of a process also loads and warms up; machines differ."""

texts = st.text(max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
good_runs = st.fixed_dictionaries(
    {"task_id": st.just("T"), "model_id": st.sampled_from(["a", "b"]), "run_index": st.integers(0, 3)},
    optional={
        "key_findings": st.lists(texts | st.none(), max_size=3),
        "structured_metrics": st.none()
        | st.dictionaries(texts, st.integers() | st.floats(allow_nan=False), max_size=3),
        "raw_response_text": st.none() | texts,
    },
)
odd_runs = st.builds(
    lambda run, name, value: run | {name: value},
    good_runs,
    st.sampled_from(
        ["task_id", "model_id", "run_index", "key_findings", "structured_metrics", "evidence_citations"]
    ),
    json_values,
)
records = (good_runs | odd_runs | json_values).map(lambda value: json.dumps(value).encode())


@st.composite
def damaged(draw, whole):
    """Some bytes of a text are changed, left out or put in."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


line_lists = st.lists(damaged(records), max_size=8).map(
    lambda lines: [line.replace(b"\n", b" ") for line in lines]
)


def decoded(data, *, is_document=False, step=None):
    blocks = [data[at : at + step] for at in range(0, len(data), step)] if step else [data]
    batches = list(cut_records(blocks, file="f", is_document=is_document))
    made = [decode_runs(batch) for batch in batches]
    assert sum(map(len, batches)) == sum(frame.height + len(refused) for frame, refused in made)
    rows = [row for frame, _ in made for row in frame.to_dicts()]
    return rows, [refusal for _, refused in made for refusal in refused]


@unhurried
@given(line_lists)
def test_each_line_is_a_row_or_a_refusal_in_its_place(others):
    lines = [FIRST, *others]
    rows, refused = decoded(b"".join(line + b"\n" for line in lines))
    places = [(row["line"], row["byte_offset"]) for row in rows]
    places += [(refusal.line, refusal.byte_offset) for refusal in refused]
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    expected = [
        (n, start) for n, (line, start) in enumerate(zip(lines, starts, strict=False), 1) if line.strip()
    ]
    assert sorted(places) == expected
    assert {refusal.reason for refusal in refused} <= REASONS.keys()


@unhurried
@given(st.lists(good_runs, min_size=1, max_size=6), st.data())
def test_the_neighbours_of_a_bad_line_are_read_as_if_it_were_not_there(runs, data):
    good = [json.dumps(run).encode() for run in runs]
    bad = data.draw(damaged(st.just(good[0])).map(lambda line: line.replace(b"\n", b" ")))
    at = data.draw(st.integers(1, len(good)))
    with_bad, _ = decoded(b"\n".join([*good[:at], bad, *good[at:]]))
    hashes = [row["content_hash"] for row in with_bad if row["line"] != at + 1]
    assert hashes == [row["content_hash"] for row in decoded(b"\n".join(good))[0]]


@unhurried
@given(st.lists(records, max_size=5), st.booleans())
def test_an_array_says_the_same_as_its_lines(items, is_indented):
    between = b",\n " if is_indented else b","
    rows, refused = decoded(b"[" + between.join(items) + b"]", is_document=True)
    alone = [decoded(item, is_document=True) for item in items if not item.startswith(b"[")]
    n_arrays = sum(item.startswith(b"[") for item in items)
    assert [row["content_hash"] for row in rows] == [
        row["content_hash"] for found, _ in alone for row in found
    ]
    assert len(refused) == n_arrays + sum(len(others) for _, others in alone)


@unhurried
@given(
    damaged(st.lists(records, max_size=5).map(b",".join).map(lambda text: b"[" + text + b"]")), st.booleans()
)
def test_any_bytes_are_accounted_for(data, is_document):
    _, refused = decoded(data, is_document=is_document)
    assert all(refusal.reason in REASONS and refusal.detail for refusal in refused)


@unhurried
@given(line_lists, st.integers(1, 50))
def test_the_size_of_the_blocks_changes_nothing(lines, step):
    data = b"\n".join(lines)
    size = grade.ingest.feed.BLOCK_BYTES
    rows, refused = decoded(data)
    try:
        grade.ingest.feed.BLOCK_BYTES = 64 + max((len(line) for line in lines), default=0) * 2
        rows_of_small, refused_of_small = decoded(data, step=step)
        assert rows_of_small == rows
        assert [one[:5] for one in refused_of_small] == [one[:5] for one in refused]
    finally:
        grade.ingest.feed.BLOCK_BYTES = size


@unhurried
@given(
    damaged(
        st.text(alphabet='a1",\r\n ', max_size=60).map(lambda text: b"model_id,judge_id\n" + text.encode())
    )
)
def test_any_csv_is_accounted_for(data):
    batches = list(cut_rows([data], file="f", json_columns=frozenset({"run_index"})))
    for batch in batches:
        frame, refused = decode_verdicts(batch)
        assert frame.height + len(refused) == len(batch)
        assert all(refusal.reason in REASONS for refusal in refused)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(line_lists, min_size=1, max_size=3), st.booleans(), st.integers(0, 400))
def test_records_in_are_runs_copies_and_rejects(files, is_packed, n_cut):
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a_pack.jsonl").write_text(json.dumps(TASK))
        (folder / "runs").mkdir()
        for number, lines in enumerate(files):
            data = b"".join(line + b"\n" for line in lines)
            packed = gzip.compress(data)[: max(20, len(data) - n_cut)] if is_packed else data
            (folder / "runs" / f"{number}.jsonl").write_bytes(packed)
        read = read_runs([str(folder / "runs")], catalogue=load_catalogue(folder / "a_pack.jsonl"))
    check(read.runs, RUNS)
    assert read.n_records == read.runs.height + read.n_duplicates + read.rejects.height
    assert set(read.rejects["reason"]) <= REASONS.keys()
