"""After any change, an incremental rescore gives the bytes of a full one, and scores only what it must."""

from __future__ import annotations

import json
import random
import shutil

import polars as pl
import pytest
from bulk.conftest import bytes_of
from small_inputs import run, task, write_lines

from grade.schemas import GROUP_TABLES
from pipelines import ingest as ingest_module
from pipelines import segments
from pipelines.ingest import ingest
from pipelines.partial import partial_folders


def change_gold(place):
    tasks = [task("T-1"), task("T-2", track=3)]
    tasks[1]["gold_facts"][0]["numeric_value"] = 153
    write_lines(place / "packs" / "small" / "tasks.jsonl", tasks)


def add_runs(place):
    write_lines(place / "new.jsonl", [run(5), run(0, "acme/model-0"), run(0, "acme/model-c", "T-2")])
    ingest([str(place / "new.jsonl")], place / "store")


def replace_runs(place):
    write_lines(place / "better.jsonl", [run(3, key_findings=["Nothing is known."], raw_response_text="!")])
    ingest([str(place / "better.jsonl")], place / "store", replaces=True)


def change_verdicts(place):
    lines = (place / "verdicts.jsonl").read_text().splitlines()
    first = json.loads(lines[0]) | {"score": "fail"}
    write_lines(place / "verdicts.jsonl", [first, *lines[1:]])


def reorder_verdicts(place):
    lines = (place / "verdicts.jsonl").read_text().splitlines()
    write_lines(place / "verdicts.jsonl", lines[::-1])


def lose_a_task(place):
    write_lines(place / "packs" / "small" / "tasks.jsonl", [task("T-1")])


def change_nothing(place):
    del place


@pytest.mark.parametrize(
    ("change", "n_groups", "n_reused"),
    [
        (change_nothing, 4, 4),
        (change_gold, 4, 2),
        (add_runs, 6, 3),
        (replace_runs, 4, 3),
        (change_verdicts, 4, 3),
        (reorder_verdicts, 4, 4),
        (lose_a_task, 2, 2),
    ],
)
def test_only_what_a_change_touches_is_scored_and_the_result_is_that_of_a_full_run(
    place, rescore, change, n_groups, n_reused
):
    before = rescore()
    assert (before.n_groups, before.n_reused) == (4, 0)
    change(place)
    outcome = rescore()
    assert (outcome.n_groups, outcome.n_reused) == (n_groups, n_reused)
    assert rescore("full").n_reused == 0
    assert bytes_of(place / "out") == bytes_of(place / "full")
    manifests = [json.loads((place / name / "manifest.json").read_text()) for name in ("out", "full")]
    assert manifests[0]["reuse"] == {"groups": n_groups, "reused": n_reused}
    assert manifests[1]["reuse"] == {"groups": n_groups, "reused": 0}
    for manifest in manifests:
        del manifest["reuse"], manifest["started_utc"], manifest["duration_s"]
    assert manifests[0] == manifests[1]


def test_a_change_does_change_the_result(place, rescore):
    rescore()
    before = bytes_of(place / "out")
    change_gold(place)
    rescore()
    after = bytes_of(place / "out")
    scores = pl.read_parquet(place / "out" / "fact_checks.parquet")
    assert before.keys() == after.keys()
    assert before["fact_checks.parquet"] != after["fact_checks.parquet"]
    assert scores.filter(pl.col("task_id") == "T-2")["gold_value"].unique().to_list() == [153.0]


def test_full_takes_nothing(place, rescore):
    rescore()
    assert rescore(reuses=False).n_reused == 0


def test_other_settings_take_nothing(rescore):
    rescore()
    assert rescore(max_depth=10).n_reused == 0


def test_a_store_gives_what_the_files_give(place, rescore, grade):
    rescore()
    arguments = ("--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", "from-files")
    assert grade("score", "runs", *arguments).returncode == 0
    assert bytes_of(place / "out") == bytes_of(place / "from-files")


@pytest.mark.parametrize(("batch_runs", "threads"), [(1, 1), (7, 2), (20, None), (10_000, 3)])
def test_no_byte_depends_on_batches_and_threads(place, rescore, batch_runs, threads):
    rescore()
    rescore("other", batch_runs=batch_runs, threads=threads)
    assert bytes_of(place / "out") == bytes_of(place / "other")


def test_no_byte_depends_on_how_runs_came_into_the_store(many, rescore, monkeypatch):
    rescore()
    lines = [
        line for path in (many / "runs" / "runs.jsonl", many / "more.jsonl") for line in path.open()
    ]
    random.Random(5).shuffle(lines)
    shutil.rmtree(many / "store")
    monkeypatch.setattr(ingest_module, "_PART_ROWS", 10)
    monkeypatch.setattr(ingest_module, "_BATCH_ROWS", 4)
    monkeypatch.setattr(ingest_module, "_SCATTER", 1.5)
    monkeypatch.setattr(segments, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(segments, "_RANGE_ROWS", 15)
    for number in range(4):
        path = many / f"piece-{number}.jsonl"
        path.write_text("".join(lines[number::4]))
        ingest([str(path)], many / "store")
    rescore("shuffled", batch_runs=6)
    assert bytes_of(many / "out") == bytes_of(many / "shuffled")


def test_a_long_answer_makes_a_batch_of_its_own_and_the_same_scores(place, rescore):
    long = "Nothing is said here, at length. " * 2_000
    write_lines(place / "long.jsonl", [run(9, "acme/long", raw_response_text=long)])
    ingest([str(place / "long.jsonl")], place / "store")
    rescore(batch_runs=4)
    rescore("other", batch_runs=1_000)
    assert bytes_of(place / "out") == bytes_of(place / "other")


def spoil(path):
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(255 - byte for byte in content[middle : middle + 8])
    path.write_bytes(content)


@pytest.mark.parametrize("name", [f"{table.name}.parquet" for table in GROUP_TABLES])
def test_nothing_is_taken_from_a_damaged_result(place, rescore, name):
    rescore()
    right = bytes_of(place / "out")
    spoil(place / "out" / name)
    assert rescore().n_reused == 0
    assert bytes_of(place / "out") == right


@pytest.mark.parametrize("fault", ["no manifest", "no table", "cut off"])
def test_nothing_is_taken_from_half_a_result(place, rescore, fault):
    rescore()
    right = bytes_of(place / "out")
    table = place / "out" / "runs.parquet"
    match fault:
        case "no manifest":
            manifest = json.loads((place / "out" / "manifest.json").read_text())
            del manifest["group_tables"]
            (place / "out" / "manifest.json").write_text(json.dumps(manifest))
        case "no table":
            table.unlink()
        case "cut off":
            table.write_bytes(table.read_bytes()[:-9])
    assert rescore().n_reused == 0
    assert bytes_of(place / "out") == right


def test_a_new_decision_policy_does_not_stand_in_the_way(place, rescore, grade):
    rescore()
    assert grade("decide", "out", "--policy", "strict").returncode == 0
    assert rescore().n_reused == 4
    rescore("full")
    assert bytes_of(place / "out") == bytes_of(place / "full")


def test_what_was_finished_before_ctrl_c_is_not_scored_again(many, rescore):
    rescore("whole")
    with pytest.raises(KeyboardInterrupt):
        rescore(batch_runs=6, stop_after=4)
    assert not (many / "out").exists()
    outcome = rescore(batch_runs=6)
    assert 0 < outcome.n_reused < outcome.n_groups
    assert bytes_of(many / "out") == bytes_of(many / "whole")
    assert partial_folders(many / "out") == []


def test_ctrl_c_leaves_the_old_result_and_both_are_taken_from(many, rescore):
    rescore()
    before = bytes_of(many / "out")
    change_gold(many)
    with pytest.raises(KeyboardInterrupt):
        rescore(batch_runs=4, stop_after=8)
    assert bytes_of(many / "out") == before
    outcome = rescore()
    n_unchanged = 14
    assert n_unchanged < outcome.n_reused < outcome.n_groups == 28
    rescore("full", reuses=False)
    assert bytes_of(many / "out") == bytes_of(many / "full")


def test_a_second_ctrl_c_loses_nothing_of_the_first(many, rescore):
    for after in (8, 2):
        with pytest.raises(KeyboardInterrupt):
            rescore(batch_runs=4, stop_after=after)
    n_first = max(pl.read_parquet(path / "groups.parquet").height for path in partial_folders(many / "out"))
    assert n_first >= 8
    assert rescore().n_reused == n_first


def test_a_later_ctrl_c_clears_away_the_earlier_remains(many, rescore):
    for after in (2, 9):
        with pytest.raises(KeyboardInterrupt):
            rescore(batch_runs=4, stop_after=after)
    assert len(partial_folders(many / "out")) == 1


def test_ctrl_c_before_the_first_batch_leaves_nothing(many, rescore):
    with pytest.raises(KeyboardInterrupt):
        rescore(batch_runs=10_000, stop_after=1)
    # the only batch was written before the user pressed the keys, so all of it is kept
    assert rescore().n_reused == 28


def test_runs_of_unknown_tasks_stay_in_the_store_and_are_refused_by_the_result(place, rescore):
    write_lines(place / "strange.jsonl", [run(0, "acme/model-a", "T-9")])
    assert ingest([str(place / "strange.jsonl")], place / "store").n_added == 1
    outcome = rescore()
    assert outcome.rejects["reason"].to_list() == ["unknown_task"]
    assert outcome.rejects["line"].to_list() == [1]
    assert outcome.n_runs == 20
    write_lines(place / "packs" / "small" / "tasks.jsonl", [task("T-1"), task("T-2", track=3), task("T-9")])
    assert rescore().n_runs == 21
