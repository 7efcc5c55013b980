"""After any change, an incremental rescore gives the bytes of a full one, and scores only what it must."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import polars as pl
import pytest
from small_inputs import run, task, write_lines
from store_inputs import bytes_of, rescore

from pipelines import ingest as ingest_module
from pipelines import segments
from pipelines.ingest import ingest
from pipelines.partial import partial_folders

TASKS = Path("packs/small/tasks.jsonl")
STORE = Path("store")
OUT = Path("out")


def change_gold():
    tasks = [task("T-1"), task("T-2", track=3)]
    tasks[1]["gold_facts"][0]["numeric_value"] = 153
    write_lines(TASKS, tasks)


def add_runs():
    records = [run(5), run(0, "acme/model-0"), run(0, "acme/model-c", "T-2")]
    ingest([str(write_lines(Path("new.jsonl"), records))], STORE)


def replace_runs():
    better = write_lines(Path("better.jsonl"), [run(3, key_findings=["Nothing is known."])])
    assert ingest([str(better)], STORE, replaces=True).n_replaced == 1


def change_verdicts():
    lines = Path("verdicts.jsonl").read_text().splitlines()
    first = json.loads(lines[0]) | {"score": "fail"}
    write_lines(Path("verdicts.jsonl"), [first, *lines[1:]])


def reorder_verdicts():
    lines = Path("verdicts.jsonl").read_text().splitlines()
    write_lines(Path("verdicts.jsonl"), lines[::-1])


def lose_a_task():
    write_lines(TASKS, [task("T-1")])


def change_nothing():
    pass


@pytest.mark.usefixtures("few")
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
    change, n_groups, n_reused
):
    change()
    outcome = rescore()
    assert (outcome.n_groups, outcome.n_reused) == (n_groups, n_reused)
    assert rescore("full").n_reused == 0
    assert bytes_of(OUT) == bytes_of(Path("full"))
    manifests = [json.loads(Path(name, "manifest.json").read_text()) for name in ("out", "full")]
    assert manifests[0]["reuse"] == {"groups": n_groups, "reused": n_reused}
    assert manifests[1]["reuse"] == {"groups": n_groups, "reused": 0}
    for manifest in manifests:
        del manifest["reuse"], manifest["started_utc"], manifest["duration_s"]
    assert manifests[0] == manifests[1]


@pytest.mark.usefixtures("few")
def test_a_change_does_change_the_result():
    before = bytes_of(OUT)
    change_gold()
    rescore()
    after = bytes_of(OUT)
    assert before.keys() == after.keys()
    assert before["fact_checks.parquet"] != after["fact_checks.parquet"]
    checks = pl.read_parquet(OUT / "fact_checks.parquet")
    assert checks.filter(pl.col("task_id") == "T-2")["gold_value"].unique().to_list() == [153.0]


@pytest.mark.usefixtures("few")
def test_full_and_other_settings_take_nothing():
    assert rescore(reuses=False).n_reused == 0
    assert rescore(max_depth=10).n_reused == 0


@pytest.mark.usefixtures("few")
def test_a_store_gives_what_the_files_give():
    rescore("files", runs=("runs",))
    assert bytes_of(OUT) == bytes_of(Path("files"))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("batch_runs", "threads"), [(1, 1), (13, 2), (10_000, 3)])
def test_no_byte_depends_on_batches_and_threads(batch_runs, threads):
    rescore("other", batch_runs=batch_runs, threads=threads)
    assert bytes_of(OUT) == bytes_of(Path("other"))


@pytest.mark.usefixtures("many")
def test_no_byte_depends_on_how_runs_came_into_the_store(monkeypatch):
    texts = [Path("runs/runs.jsonl").read_text(), Path("more.jsonl").read_text()]
    lines = "".join(texts).splitlines()
    random.Random(5).shuffle(lines)
    shutil.rmtree("store")
    monkeypatch.setattr(ingest_module, "_PART_ROWS", 10)
    monkeypatch.setattr(ingest_module, "_BATCH_ROWS", 4)
    monkeypatch.setattr(ingest_module, "_SCATTER", 1.5)
    monkeypatch.setattr(segments, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(segments, "_RANGE_ROWS", 15)
    for number in range(4):
        ingest([str(write_lines(Path(f"piece-{number}.jsonl"), lines[number::4]))], STORE)
    rescore("shuffled", batch_runs=6)
    assert bytes_of(OUT) == bytes_of(Path("shuffled"))


@pytest.mark.usefixtures("few")
def test_a_long_answer_makes_a_batch_smaller_and_changes_no_score():
    long = "Nothing is said here, at length. " * 2_000
    ingest([str(write_lines(Path("long.jsonl"), [run(9, "acme/long", raw_response_text=long)]))], STORE)
    rescore(batch_runs=4)
    rescore("other", batch_runs=1_000)
    assert bytes_of(OUT) == bytes_of(Path("other"))


def spoil(path):
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(255 - byte for byte in content[middle : middle + 8])
    path.write_bytes(content)


def forget(path):
    manifest = json.loads(path.with_name("manifest.json").read_text())
    del manifest["group_tables"]
    path.with_name("manifest.json").write_text(json.dumps(manifest))


def cut(path):
    path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("table", ["groups", "runs", "claim_checks", "findings"])
def test_nothing_is_taken_from_a_damaged_table(table):
    right = bytes_of(OUT)
    spoil(OUT / f"{table}.parquet")
    assert rescore().n_reused == 0
    assert bytes_of(OUT) == right


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("damage", [forget, cut, Path.unlink])
def test_nothing_is_taken_from_half_a_result(damage):
    right = bytes_of(OUT)
    damage(OUT / "runs.parquet")
    assert rescore().n_reused == 0
    assert bytes_of(OUT) == right


@pytest.mark.usefixtures("few")
def test_another_policy_decides_on_the_same_scores(grade):
    right = bytes_of(OUT)
    assert grade("decide", "out", "--policy", "strict").returncode == 0
    assert bytes_of(OUT) != right
    assert rescore().n_reused == 4
    assert bytes_of(OUT) == right


@pytest.mark.usefixtures("many")
def test_what_was_finished_before_ctrl_c_is_not_scored_again():
    with pytest.raises(KeyboardInterrupt):
        rescore("new", batch_runs=6, stop_after=4)
    assert not Path("new").exists()
    outcome = rescore("new", batch_runs=6)
    assert 0 < outcome.n_reused < outcome.n_groups
    assert bytes_of(OUT) == bytes_of(Path("new"))
    assert partial_folders(Path("new")) == []


@pytest.mark.usefixtures("many")
def test_ctrl_c_leaves_the_old_result_and_both_are_taken_from():
    before = bytes_of(OUT)
    change_gold()
    with pytest.raises(KeyboardInterrupt):
        rescore(batch_runs=4, stop_after=8)
    assert bytes_of(OUT) == before
    outcome = rescore()
    n_unchanged = 14
    assert n_unchanged < outcome.n_reused < outcome.n_groups == 28
    rescore("full", reuses=False)
    assert bytes_of(OUT) == bytes_of(Path("full"))


@pytest.mark.usefixtures("many")
def test_a_second_ctrl_c_loses_nothing_of_the_first_and_a_third_clears_up():
    kept = []
    for after in (5, 2, 9):
        with pytest.raises(KeyboardInterrupt):
            rescore("new", batch_runs=4, stop_after=after)
        folders = partial_folders(Path("new"))
        kept.append([pl.read_parquet(path / "groups.parquet").height for path in folders])
    assert len(kept[0]) == len(kept[2]) == 1
    assert kept[0][0] in kept[1]
    assert kept[2][0] > kept[0][0]
    assert rescore("new").n_reused == kept[2][0]


@pytest.mark.usefixtures("few")
def test_runs_of_unknown_tasks_stay_in_the_store_and_are_refused_by_the_result():
    strange = write_lines(Path("strange.jsonl"), [run(0, "acme/model-a", "T-9")])
    assert ingest([str(strange)], STORE).n_added == 1
    outcome = rescore()
    assert outcome.rejects["reason"].to_list() == ["unknown_task"]
    assert outcome.rejects["line"].to_list() == [1]
    assert outcome.n_runs == 20
    write_lines(TASKS, [task("T-1"), task("T-2", track=3), task("T-9")])
    assert rescore().n_runs == 21
