"""Ids are compared as they are; copies count once, and what is at odds is refused with all its copies."""

from __future__ import annotations

import json
import unicodedata

import polars as pl
import pytest
from small_inputs import run, task, write_lines

MODELS = {
    "plain": "acme/model",
    "another case": "Acme/Model",
    "white space behind": "acme/model ",
    "white space within": "acme/ model",
    "no-break space": "acme/\u00a0model",
    "an invisible mark": "acme/\u200bmodel",
    "composed": "caf\u00e9",
    "decomposed": unicodedata.normalize("NFD", "caf\u00e9"),
    "full width": "\uff41cme/model",
    "dots": "..",
    "a dot": ".",
    "a way up": "../../escape",
    "an absolute path": "/etc/passwd",
    "a backslash": "a\\b",
    "a slash": "a/b",
    "an underscore": "a_b",
    "emoji": "\U0001f600" * 60,
    "300 characters": "x" * 300,
    "300 others": "x" * 299 + "y",
    "a line end": "two\nlines",
    "a device of another system": "con",
    "a null character": "nul\u0000l",
    "only marks": "***",
}
ALIKE = {"plain", "another case", "white space behind", "an invisible mark", "full width"}


@pytest.fixture(scope="module")
def identified(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("identity")
    write_lines(folder / "packs" / "tasks.jsonl", [task("T-1"), task("T-2")])
    once = [run(0, model) for model in MODELS.values()]
    plain = MODELS["plain"]
    gaps = [run(7, plain), run(2, plain), run(10**15, plain)]
    copies = [run(3, plain), run(3, plain), run(3, plain)]
    at_odds = [run(4, plain), run(4, plain, key_findings=["Other."]), run(4, plain)]
    write_lines(folder / "runs" / "b.jsonl", [*once, *gaps, copies[0], at_odds[0]])
    write_lines(folder / "runs" / "a.jsonl", [*copies[1:], *at_odds[1:]])
    verdict = {"model_id": plain, "task_id": "T-1", "run_index": 0, "judge_id": "j"}
    about = verdict | {"dimension": "structure_usability", "score": "pass"}
    verdicts = [
        about,
        about,
        verdict | {"dimension": "evidence_linkage", "score": "pass"},
        verdict | {"dimension": "evidence_linkage", "score": "fail"},
        about | {"run_index": 99},
        about | {"run_index": 4},
        about | {"model_id": "nobody"},
        about | {"model_id": MODELS["white space within"], "judge_id": "J"},
        about | {"model_id": MODELS["white space within"], "judge_id": "j"},
    ]
    write_lines(folder / "verdicts.jsonl", verdicts)
    arguments = ("runs", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", "out")
    finished = command(folder, "score", *arguments)
    assert finished.returncode == 3, finished.stderr
    return folder, finished


def table(identified, name: str) -> pl.DataFrame:
    return pl.read_parquet(identified[0] / "out" / f"{name}.parquet")


def test_ids_that_differ_in_anything_stay_different(identified):
    assert set(table(identified, "overall_scores")["model_id"]) == set(MODELS.values())


def test_ids_that_look_alike_are_told(identified):
    folder, finished = identified
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    groups = [set(group) for group in manifest["look_alike_models"]]
    assert {MODELS[name] for name in ALIKE} in groups
    assert {MODELS["composed"], MODELS["decomposed"]} in groups
    assert "model ids look alike and are scored as different models" in finished.stderr


def test_every_model_has_files_of_its_own_inside_the_folder(identified):
    folder, _ = identified
    for kind in ("results", "scorecards"):
        files = list((folder / "out" / kind).iterdir())
        assert len(files) == len({path.name.casefold() for path in files}) == len(MODELS)
        assert all(len(path.name.encode()) < 200 and path.name.isascii() for path in files)
    told = {json.loads(path.read_text())["model_id"] for path in (folder / "out" / "results").iterdir()}
    assert told == set(MODELS.values())
    assert {path.name for path in folder.iterdir()} == {"packs", "runs", "verdicts.jsonl", "out"}


def test_gaps_in_the_run_index_are_no_fault_and_equal_copies_count_once(identified):
    runs = table(identified, "runs").filter(model_id=MODELS["plain"])
    assert runs["run_index"].to_list() == [0, 2, 3, 7, 10**15]
    manifest = json.loads((identified[0] / "out" / "manifest.json").read_text())
    assert manifest["stages"]["read_runs"]["refused"]["duplicates"] == 2


def test_copies_that_differ_are_all_refused(identified):
    refused = table(identified, "rejects").filter(reason="duplicate_conflict")
    assert refused.select("file", "line").rows() == [
        ("runs/a.jsonl", 3),
        ("runs/a.jsonl", 4),
        ("runs/b.jsonl", len(MODELS) + 5),
        ("verdicts.jsonl", 3),
        ("verdicts.jsonl", 4),
    ]


def test_a_verdict_counts_once_and_for_a_run_that_exists(identified):
    verdicts = table(identified, "verdicts")
    assert verdicts.select("model_id", "judge_id", "line").rows() == [
        (MODELS["white space within"], "J", 8),
        (MODELS["white space within"], "j", 9),
        (MODELS["plain"], "j", 1),
    ]
    unknown = table(identified, "rejects").filter(reason="unknown_run")
    assert unknown["line"].to_list() == [5, 6, 7]
    manifest = json.loads((identified[0] / "out" / "manifest.json").read_text())
    assert manifest["stages"]["read_verdicts"] == {
        "received": {"records": 9},
        "made": {"verdicts": 3},
        "refused": {"rejects": 5, "duplicates": 1},
    }


def test_a_task_id_in_two_packs_stops_and_names_both_places(grade, inputs):
    write_lines(inputs / "packs" / "other" / "tasks.jsonl", [task("T-9"), task("T-1")])
    finished = grade("score", "runs", "--packs", "packs", "--out", "out")
    assert finished.returncode == 2
    assert "'T-1' is used twice" in finished.stderr
    assert "packs/other/tasks.jsonl, line 2" in finished.stderr
    assert "packs/small/tasks.jsonl, line 1" in finished.stderr
    assert not (inputs / "out").exists()


def test_tasks_whose_ids_only_look_alike_are_two_tasks(grade, inputs):
    write_lines(inputs / "packs" / "other" / "tasks.jsonl", [task("t-1"), task("T-1 ")])
    write_lines(inputs / "runs" / "more.jsonl", [run(0, task_id="T-1 "), run(0, task_id="t-1")])
    assert grade("score", "runs", "--packs", "packs", "--out", "out").returncode == 0
    tasks = pl.read_parquet(inputs / "out" / "task_scores.parquet").filter(model_id="acme/model-a")
    assert dict(tasks.select("task_id", "n_runs").rows()) == {"T-1": 5, "T-1 ": 1, "T-2": 5, "t-1": 1}
