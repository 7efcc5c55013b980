"""Which files below a packs folder are tasks, which are data, and what is known of them."""

from __future__ import annotations

import json

import polars as pl
import pytest

from grade.errors import InputError
from grade.schemas import TASKS, check
from pipelines.catalogue import load_catalogue


@pytest.fixture
def packs(tmp_path, task):
    folder = tmp_path / "packs" / "north_pack"
    (folder / "more").mkdir(parents=True)
    (folder / "tasks.jsonl").write_text(json.dumps(task(task_id="T-1")))
    (folder / "manifest.json").write_text('{"pack_id": "pack_northern"}')
    (folder / "students.csv").write_text('\ufeffstudent_id,"school, id"\nSTU-0001,SCH-001\n')
    (folder / "more" / "truth.json").write_text('{"best": "TUT-005", "month": "oct-2025"}')
    pl.DataFrame({"session_id": ["SES-100"], "n": [1]}).write_parquet(folder / "sessions.parquet")
    (folder / "log.jsonl").write_text('{"x": "GRP-001"}')
    (folder / "README.md").write_text("XYZ-999")
    (tmp_path / "packs" / "a_pack.jsonl").write_text(json.dumps(task(task_id="T-3")))
    (tmp_path / "packs" / "b_pack.jsonl").write_text(json.dumps(task(task_id="T-2")))
    (tmp_path / "packs" / "loose.csv").write_text("x\nABC-123\n")
    return tmp_path / "packs"


def test_tasks_are_found_at_any_depth(packs):
    catalogue = load_catalogue(packs)
    check(catalogue.table, TASKS)
    assert catalogue.table.select("task_id", "pack_id").rows() == [
        ("T-1", "pack_northern"),
        ("T-2", "pack_b"),
        ("T-3", "pack_a"),
    ]
    assert [one.task_id for one in catalogue.tasks] == ["T-1", "T-2", "T-3"]


def test_claims_are_what_a_verdict_may_name(packs):
    claims = load_catalogue(packs).claims.filter(pl.col("task_id") == "T-1")
    assert sorted(claims["claim_id"]) == ["fact:F1", "insight:0"]


def test_the_data_of_a_pack_are_the_files_of_its_own_folder(packs):
    headers = load_catalogue(packs).headers
    assert headers.rows() == [
        ("pack_northern", "log.jsonl", None),
        ("pack_northern", "sessions.parquet", "n"),
        ("pack_northern", "sessions.parquet", "session_id"),
        ("pack_northern", "students.csv", "school, id"),
        ("pack_northern", "students.csv", "student_id"),
        ("pack_northern", "truth.json", None),
    ]


def test_the_identifiers_in_the_data_are_known(packs):
    identifiers = load_catalogue(packs).identifiers
    assert identifiers.rows() == [
        ("pack_northern", name) for name in ("grp-001", "sch-001", "ses-100", "stu-0001", "tut-005")
    ]


def test_every_file_that_was_read_is_named(packs):
    names = [entry.name.rpartition("packs/")[2] for entry in load_catalogue(packs).inputs]
    assert names == [
        "a_pack.jsonl",
        "b_pack.jsonl",
        "north_pack/log.jsonl",
        "north_pack/manifest.json",
        "north_pack/more/truth.json",
        "north_pack/sessions.parquet",
        "north_pack/students.csv",
        "north_pack/tasks.jsonl",
    ]


def test_one_task_file_may_be_named_itself(packs):
    assert len(load_catalogue(packs / "a_pack.jsonl").tasks) == 1


def test_a_folder_without_manifest_names_the_pack(packs):
    (packs / "north_pack" / "manifest.json").unlink()
    assert load_catalogue(packs).tasks[0].pack_id == "pack_north"


def test_a_task_names_its_pack_itself(packs, task):
    (packs / "a_pack.jsonl").write_text(json.dumps(task(task_id="T-3", pack_id="own")))
    assert load_catalogue(packs).tasks[2].pack_id == "pack_own"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda packs, task: (packs / "c.jsonl").write_text(json.dumps(task())), "used twice"),
        (lambda packs, _: (packs / "c.jsonl").write_text('{"gold_facts": ['), r"c\.jsonl, line 1"),
        (lambda packs, _: (packs / "north_pack" / "manifest.json").write_text("{"), "manifest"),
        (lambda packs, _: (packs / "north_pack" / "sessions.parquet").write_text("x"), "data file"),
    ],
)
def test_a_fault_of_a_pack_stops(change, message, packs, task):
    change(packs, task)
    with pytest.raises(InputError, match=message):
        load_catalogue(packs)


@pytest.mark.parametrize("name", ["away", "empty"])
def test_nowhere_and_nothing_stop(name, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        load_catalogue(tmp_path / name)
