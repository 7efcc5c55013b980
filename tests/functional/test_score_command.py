from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars as pl
import pytest
from small_inputs import run, task, write_lines

from grade import schemas

REPORTS = {"leaderboard.md", "manifest.json"}


def digest(folder: Path) -> dict[str, bytes]:
    """Every file of a result but the manifest, which knows the time."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def score(grade, *more: object, out: str = "out"):
    return grade("score", "runs", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--out", out, *more)


def test_the_folder_holds_every_table_and_report(scored):
    folder, finished = scored
    assert (finished.returncode, finished.stdout) == (0, ""), finished.stderr
    assert "scored 20 runs of 2 models" in finished.stderr
    out = folder / "out"
    tables = {f"{table.name}.parquet" for table in schemas.RESULT_TABLES}
    assert {path.name for path in out.iterdir()} == tables | REPORTS | {"results", "scorecards"}
    for table in schemas.RESULT_TABLES:
        frame = pl.read_parquet(out / f"{table.name}.parquet")
        assert frame.schema == pl.Schema(table.dtypes)
        assert frame.equals(frame.sort(table.key, nulls_last=False))
    assert len(list((out / "results").glob("*.json"))) == len(list((out / "scorecards").glob("*.md"))) == 2


def test_the_scores_are_those_of_the_answers(scored):
    folder, _ = scored
    rows = duckdb.sql(
        """
        SELECT model_id, n_tasks, n_runs, grounding_accuracy, insight_quality, evidence_linkage,
               calibration_limitation_handling, structure_usability, claims_judged
        FROM read_parquet($path) ORDER BY model_id
        """,
        params={"path": str(folder / "out" / "overall_scores.parquet")},
    ).fetchall()
    # an answer without identifier or rate earns no evidence score on track 3, hence a half; model-b
    # makes the forbidden claim, and nobody judged whether it makes the insight and the caveat
    assert rows == [
        ("acme/model-a", 2, 10, 1.0, 1.0, 0.5, 1.0, 1.0, pytest.approx(2 / 3)),
        ("acme/model-b", 2, 10, 0.0, 0.0, 0.5, 0.0, 1.0, pytest.approx(1 / 3)),
    ]


def test_the_manifest_accounts_for_every_record(scored):
    folder, _ = scored
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    stages = manifest["stages"]
    assert stages["read_runs"] == {
        "received": {"records": 20},
        "made": {"runs": 20},
        "refused": {"rejects": 0, "duplicates": 0, "replaced": 0},
    }
    assert stages["read_verdicts"]["made"] == {"verdicts": 40}
    assert stages["score"]["made"]["run_scores"] == 120
    assert stages["roll_up"]["made"]["overall_scores"] == 2
    assert {source["n_files"] for source in manifest["inputs"].values()} == {1}
    assert set(manifest["outputs"]) == set(digest(folder / "out"))


def test_the_same_inputs_give_the_same_bytes_whatever_the_batches_and_threads(grade, inputs, scored):
    folder, _ = scored
    first = digest(folder / "out")
    score(grade)
    assert digest(inputs / "out") == first
    (inputs / "small.toml").write_text("batch_runs = 1\n")
    score(grade, "--settings", "small.toml", "--threads", "1", out="other")
    assert digest(inputs / "other") == first


def test_a_broken_record_is_refused_and_the_rest_is_scored(grade, inputs):
    with (inputs / "runs" / "runs.jsonl").open("a") as file:
        file.write('{"model_id": \n')
    finished = score(grade)
    assert finished.returncode == 3
    assert "1 records were refused" in finished.stderr
    assert "runs.jsonl, line 21" in finished.stderr
    assert pl.read_parquet(inputs / "out" / "runs.parquet").height == 20
    assert pl.read_parquet(inputs / "out" / "rejects.parquet")["line"].to_list() == [21]
    assert score(grade, "--max-rejects", "1").returncode == 0


@pytest.mark.usefixtures("inputs")
def test_quiet_is_quiet(grade):
    finished = score(grade, "--quiet")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("score", "runs", "--packs", "no-such-folder", "--out", "out"), "no-such-folder"),
        (("score", "no-such-file.jsonl", "--packs", "packs", "--out", "out"), "no-such-file.jsonl"),
        (("score", "runs", "--packs", "packs", "--out", "out", "--verdicts", "none.jsonl"), "none.jsonl"),
        (("score", "runs", "--packs", "packs", "--out", "out", "--settings", "none.toml"), "none.toml"),
        (("score", "runs", "--packs", "packs", "--out", "runs"), "runs.jsonl"),
        (("score", "runs", "--pakcs", "packs", "--out", "out"), "--packs"),
        (("score", "runs", "--packs", "packs"), "--out"),
        (("scroe", "runs"), "score"),
    ],
)
def test_what_stops_everything_ends_with_2_and_says_what(grade, inputs, arguments, words):
    finished = grade(*arguments)
    assert finished.returncode == 2
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""
    assert not (inputs / "out").exists()


def test_a_misspelt_setting_names_the_nearest(grade, inputs):
    (inputs / "my.toml").write_text("max_reject = 1\n")
    finished = score(grade, "--settings", "my.toml")
    assert finished.returncode == 2
    assert "did you mean max_rejects?" in finished.stderr


def test_rubric_weights_that_do_not_sum_to_1_stop_before_scoring_by_name_and_sum(grade, inputs):
    rubric = task()["rubric"] | {"consistency": {"weight": 0.2}}
    write_lines(inputs / "packs" / "wrong" / "tasks.jsonl", [task("T-9", rubric=rubric)])
    finished = score(grade)
    assert finished.returncode == 2
    assert "T-9" in finished.stderr
    assert "1.1" in finished.stderr
    assert not (inputs / "out").exists()


def test_a_failed_command_leaves_the_earlier_result(grade, inputs):
    score(grade)
    before = digest(inputs / "out")
    write_lines(inputs / "packs" / "wrong" / "tasks.jsonl", ['{"gold_facts": []}'])
    assert score(grade).returncode == 2
    assert digest(inputs / "out") == before


def test_a_folder_with_other_files_is_refused(grade, inputs):
    (inputs / "out").mkdir()
    (inputs / "out" / "thesis.docx").write_text("years of work")
    finished = score(grade)
    assert finished.returncode == 2
    assert "thesis.docx" in finished.stderr
    assert [path.name for path in (inputs / "out").iterdir()] == ["thesis.docx"]


def test_awkward_model_ids_have_files_of_their_own(grade, inputs):
    names = ["../../escape", "..", "a/b", "a_b", "A/B", "😀" * 100, "x" * 300, "con"]
    write_lines(inputs / "awkward.jsonl", [run(0, model) for model in names])
    assert grade("score", "awkward.jsonl", "--packs", "packs", "--out", "out").returncode == 0
    files = list((inputs / "out" / "results").iterdir())
    assert {json.loads(path.read_text())["model_id"] for path in files} == set(names)
    assert not (inputs / "escape.json").exists()


def test_help_is_enough_to_learn_from(grade):
    for arguments in (("--help",), ("score", "--help"), ("demo", "--help"), ("packs", "--help")):
        finished = grade(*arguments)
        assert finished.returncode == 0
        assert "Usage" in finished.stdout
    assert "--max-rejects" in grade("score", "--help").stdout
    assert grade("--version").stdout.startswith("grade ")
