"""One run is read alike from lines, arrays, documents and indented text."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    "write",
    [
        lambda runs: (json.dumps(runs), True),
        lambda runs: (json.dumps(runs, indent=2), True),
        lambda runs: (json.dumps(runs, indent=2), False),
        lambda runs: ("\n".join(json.dumps(run) for run in runs), False),
        lambda runs: ("\r\n".join(json.dumps(run) for run in runs), True),
        lambda runs: ("[" + "\n,".join(json.dumps(run) for run in runs) + "]", False),
        lambda runs: ("\ufeff" + json.dumps(runs, ensure_ascii=False), True),
    ],
)
def test_all_layouts_say_the_same(write, run, read_runs):
    runs = [run(run_index=index) for index in range(3)]
    expected = [row["content_hash"] for row in read_runs(runs)[0]]
    text, is_document = write(runs)
    rows, refused = read_runs(text.encode(), is_document=is_document)
    assert refused == []
    assert [row["content_hash"] for row in rows] == expected


def test_an_indented_document_is_one_run(run, read_runs):
    [row], _ = read_runs(json.dumps(run(), indent=4).encode(), is_document=True)
    assert row["line"] == 1


def test_a_bad_item_of_an_array_costs_only_itself(run, read_runs):
    items = [json.dumps(run(run_index=index), indent=1) for index in range(3)]
    items[1] = items[1].replace("135,", "NaN,", 1)
    rows, [refusal] = read_runs(f"[{', '.join(items)}]".encode(), is_document=True)
    assert [row["run_index"] for row in rows] == [0, 2]
    assert refusal.reason == "nonfinite_number"
