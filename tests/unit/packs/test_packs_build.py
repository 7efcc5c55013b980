from __future__ import annotations

import json
import math

import pytest

from pipelines.packs.build import build_packs
from pipelines.packs.check import check_packs

FILES = ("tasks.jsonl", "ground_truth.json", "measures.sql", "DATASET_CARD.md", "manifest.json")
WEIGHTS = {1: ((0.40, 0.45), (0.10, 0.10)), 2: ((0.35, 0.35), (0.15, 0.15)), 3: ((0.35, 0.35), (0.10, 0.10)),
           4: ((0.30, 0.35), (0.20, 0.25)), 5: ((0.30, 0.30), (0.15, 0.15))}  # fmt: skip


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_building_twice_gives_the_same_bytes(built, tmp_path):
    build_packs(42, tmp_path)
    assert contents(tmp_path) == contents(built)


def test_the_shipped_packs_are_what_the_builder_writes(built, shipped):
    files = contents(shipped / "packs")
    assert {name: data for name, data in files.items() if "/" in name} == contents(built)


def test_the_shipped_packs_pass_their_check(shipped):
    assert check_packs(shipped / "packs").is_empty()


def test_the_folders_come_back_in_order_and_are_complete(tmp_path):
    folders = build_packs(42, tmp_path)
    assert folders == sorted(folders)
    assert all((folder / name).is_file() for folder in folders for name in FILES)


@pytest.mark.parametrize("seed", [7, 8])
def test_another_seed_gives_other_data_whose_gold_is_right_too(seed, built, tmp_path):
    build_packs(seed, tmp_path)
    assert contents(tmp_path).keys() == contents(built).keys()
    name = "pack_operations/attendance.csv"
    assert contents(tmp_path)[name] != contents(built)[name]
    problems = check_packs(tmp_path)
    assert problems.filter(~problems["field"].str.starts_with("premises")).is_empty()


def test_there_are_26_tasks_on_five_tracks(tasks):
    tracks = [task["track"] for task in tasks]
    assert [tracks.count(track) for track in range(1, 6)] == [6, 5, 5, 5, 5]
    assert len({task["task_id"] for task in tasks}) == 26


def test_the_manifest_counts_what_the_files_hold(built, read_lines):
    for folder in built.iterdir():
        manifest = json.loads((folder / "manifest.json").read_bytes())
        tasks = read_lines(folder / "tasks.jsonl")
        assert manifest["pack_id"] == folder.name
        assert (manifest["simulated"], manifest["seed"]) == (True, 42)
        assert manifest["counts"]["tasks"] == len(tasks)
        assert manifest["counts"]["gold_facts"] == sum(len(task["gold_facts"]) for task in tasks)
        for name, rows in manifest["counts"]["rows"].items():
            assert len((folder / f"{name}.csv").read_text().splitlines()) == rows + 1


def test_the_card_defines_every_measure_and_every_column(built):
    for folder in built.iterdir():
        card = (folder / "DATASET_CARD.md").read_text()
        views = [line.split()[2] for line in (folder / "measures.sql").read_text().splitlines()
                 if line.startswith("CREATE VIEW")]  # fmt: skip
        assert all(f"| `{view}` |" in card for view in views)
        for path in folder.glob("*.csv"):
            header = path.read_text().partition("\n")[0].split(",")
            assert all(f"| `{column}` |" in card for column in header)


def test_every_numeric_fact_carries_its_sql_and_its_ground_truth(built, read_lines):
    for folder in built.iterdir():
        truth = json.loads((folder / "ground_truth.json").read_bytes())
        for task in read_lines(folder / "tasks.jsonl"):
            for fact in task["gold_facts"]:
                value = (
                    fact["numeric_value"] if fact["numeric_value"] is not None else fact.get("string_value")
                )
                if value is not None:
                    assert truth[fact["ground_truth"]] == {"value": value, "sql": fact["sql"]}


def test_rubrics_follow_their_track(tasks):
    for task in tasks:
        weights = {name: entry["weight"] for name, entry in task["rubric"].items()}
        grounding, calibration = WEIGHTS[task["track"]]
        assert math.isclose(math.fsum(weights.values()), 1, abs_tol=1e-9)
        assert grounding[0] <= weights["grounding_accuracy"] <= grounding[1]
        assert calibration[0] <= weights["calibration_limitation_handling"] <= calibration[1]


@pytest.mark.parametrize(
    ("tracks", "words"),
    [
        ({1, 2}, {"single", "year-over-year"}),
        ({2}, {"Correlation", "causation"}),
        ({4}, {"Suppressed", "reported", "estimated"}),
        ({5}, {"published", "effect"}),
    ],
)
def test_required_limitations_follow_the_track(tasks, tracks, words):
    for task in tasks:
        if task["track"] in tracks:
            text = task["required_limitations"]
            assert any(all(word in limitation for word in words) for limitation in text), task["task_id"]
