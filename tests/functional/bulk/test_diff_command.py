"""`grade diff` on real result folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from small_inputs import run, task, write_lines
from store_inputs import bytes_of, rescore

from grade.diff.tables import DIFF_TABLES
from pipelines import diff as diff_module
from pipelines.diff import diff
from pipelines.ingest import ingest
from pipelines.progress import Silent

OLD, NEW = Path("out"), Path("new")


def change_gold() -> None:
    tasks = [task("T-1"), task("T-2", track=3)]
    tasks[0]["gold_facts"][0]["numeric_value"] = 153
    write_lines(Path("packs/small/tasks.jsonl"), tasks)


@pytest.mark.usefixtures("few")
def test_two_equal_results_end_with_0(grade):
    shutil.copytree(OLD, NEW)
    finished = grade("diff", "out", "new", "--out", "changes")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "report: changes/changes.md" in finished.stdout
    assert {path.name for path in Path("changes").iterdir()} == {
        "changes.md",
        "manifest.json",
        *(f"{table.name}.parquet" for table in DIFF_TABLES),
    }


@pytest.mark.usefixtures("few")
def test_a_change_of_gold_is_told_with_what_it_did_and_ends_with_1(grade):
    change_gold()
    rescore("new")
    finished = grade("diff", "out", "new", "--out", "changes")
    assert finished.returncode == 1
    told = dict(line.rsplit(maxsplit=1) for line in finished.stdout.splitlines()[:-1])
    assert told["facts that changed"] == "10"
    assert told["runs with other content"] == "0"
    facts = pl.read_parquet("changes/fact_flips.parquet")
    assert facts.schema == pl.Schema(DIFF_TABLES[0].dtypes)
    assert set(facts["task_id"]) == {"T-1"}
    lost = facts.filter(pl.col("model_id") == "acme/model-a").row(0, named=True)
    assert (lost["old_matched"], lost["new_matched"]) == (True, False)
    assert (lost["old_gold_value"], lost["new_gold_value"]) == (135.0, 153.0)
    scores = pl.read_parquet("changes/score_changes.parquet")
    assert set(scores["scope"]) == {"model", "pack", "task", "track"}
    assert set(scores.filter(pl.col("scope") == "track")["track"]) == {1}
    text = Path("changes/changes.md").read_text()
    assert "| packs | 1 files" in text
    assert "acme/model-a, T-1, runs 0, 1, 2, 3, 4, F1: found → missed" in text
    assert "“The program enrolls 153 students.”" in text


@pytest.mark.usefixtures("few")
def test_other_runs_and_models_are_counted(grade):
    records = [run(7), run(0, "acme/model-c", "T-1")]
    ingest([str(write_lines(Path("more.jsonl"), records))], Path("store"))
    better = write_lines(Path("better.jsonl"), [run(0, key_findings=["Otherwise."])])
    ingest([str(better)], Path("store"), replaces=True)
    rescore("new")
    finished = grade("diff", "new", "out", "--out", "changes", "--quiet")
    told = dict(line.rsplit(maxsplit=1) for line in finished.stdout.splitlines()[:-1])
    assert finished.returncode == 1
    assert [told[f"runs {name}"] for name in ("in both results", "only in the old", "only in the new")] == [
        "20",
        "2",
        "0",
    ]
    assert told["runs with other content"] == "1"
    assert told["models in one result only"] == "1"
    assert "Only new has 1 of the models: acme/model-c." in Path("changes/changes.md").read_text()


@pytest.mark.usefixtures("many")
def test_no_byte_depends_on_how_many_models_are_held_at_once(monkeypatch):
    change_gold()
    rescore("new")
    diff(OLD, NEW, Path("changes"), progress=Silent())
    monkeypatch.setattr(diff_module, "MODELS_AT_A_TIME", 3)
    found = diff(OLD, NEW, Path("changes-2"), progress=Silent())
    assert found.counts["facts that changed"] > 0
    assert bytes_of(Path("changes")) == bytes_of(Path("changes-2"))
    diff(OLD, NEW, Path("changes"), progress=Silent())  # an earlier report is replaced
    assert bytes_of(Path("changes")) == bytes_of(Path("changes-2"))


@pytest.mark.usefixtures("few")
def test_a_result_without_newer_columns_can_be_compared():
    shutil.copytree(OLD, NEW)
    decisions = pl.read_parquet(NEW / "decisions.parquet").drop("policy_sha256", "previous_status")
    decisions.write_parquet(NEW / "decisions.parquet")
    (NEW / "gold_claims.parquet").unlink()
    (NEW / "intervals.parquet").unlink()
    assert diff(OLD, NEW, Path("changes"), progress=Silent()).counts["decisions that changed"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("out", "none", "--out", "changes"), "no such result folder"),
        (("packs", "out", "--out", "changes"), "holds no table of a result"),
        (("out", "half", "--out", "changes"), "claim_checks"),
        (("out", "out", "--out", "packs"), "not an earlier result"),
        (("out", "out", "--out", "out"), "not an earlier result"),
        (("out", "--out", "changes"), "new"),
    ],
)
@pytest.mark.usefixtures("few")
def test_what_is_no_result_ends_with_2_and_says_why(grade, arguments, words):
    shutil.copytree(OLD, "half")
    (Path("half") / "claim_checks.parquet").unlink()
    before = bytes_of(OLD)
    finished = grade("diff", *arguments)
    assert finished.returncode == 2
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not Path("changes").exists()
    assert bytes_of(OLD) == before


@pytest.mark.usefixtures("few")
def test_the_manifest_lists_the_report(grade):
    grade("diff", "out", "out", "--out", "changes")
    manifest = json.loads(Path("changes/manifest.json").read_text())
    assert manifest["format"] == "grade-diff"
    assert set(manifest["outputs"]) == set(bytes_of(Path("changes")))
