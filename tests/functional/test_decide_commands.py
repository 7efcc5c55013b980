"""`decide`, `gate` and `review` on a small result, and reports out and in."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
import typer
from polars.testing import assert_frame_equal
from small_inputs import write_inputs, write_lines
from typer.testing import CliRunner

from grade.errors import GradeError, InputError
from grade.policy import Policy
from grade.settings import DEFAULTS
from pipelines.commands.decide import decide, gate
from pipelines.commands.review import review_app
from pipelines.exports.report import export_report, read_reports
from pipelines.progress import make_progress
from pipelines.redecide import redecide
from pipelines.review import _read_rows
from pipelines.score import ScoreRequest, score

app = typer.Typer()
app.command("decide")(decide)
app.command("gate")(gate)
app.add_typer(review_app, name="review")

STRICT = 'name = "mine"\nmax_high = 0\nmin_int_score = 4\n'


def run_score(folder: Path, out: str = "out", *more: str) -> Path:
    score(
        ScoreRequest(
            runs=(str(folder / "runs"),),
            packs=folder / "packs",
            verdicts=(str(folder / "verdicts.jsonl"), *more),
            out=folder / out,
            settings=DEFAULTS,
        ),
        progress=make_progress(is_quiet=True),
    )
    return folder / out


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    folder = write_inputs(tmp_path_factory.mktemp("base"))
    run_score(folder)
    return folder


@pytest.fixture
def folder(base, tmp_path) -> Path:
    return Path(shutil.copytree(base, tmp_path / "copy"))


def call(*arguments: object):
    return CliRunner().invoke(app, [*map(str, arguments)])


def status(out: Path, model: str, task: str | None) -> dict:
    table = pl.read_parquet(out / "decisions.parquet")
    return table.filter(
        (pl.col("model_id") == model) & pl.col("task_id").eq_missing(pl.lit(task, pl.String))
    ).row(0, named=True)


def content(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def test_scoring_decides_by_the_findings_of_the_answers(folder):
    good, bad = (status(folder / "out", f"acme/model-{name}", "T-1") for name in "ab")
    assert (good["status"], good["rule"], good["n_pass"]) == ("pass", "all_pass", 6)
    assert (bad["status"], bad["rule"]) == ("fail", "blocking_fail")
    assert "Calibration" in bad["rationale"]
    findings = pl.read_parquet(folder / "out" / "findings.parquet")
    made = findings.filter(
        (pl.col("model_id") == "acme/model-b") & (pl.col("code") == "forbidden_claim_made")
    )
    assert made.height == 10
    assert set(made["evidence"]) == {"Tutoring caused the growth of enrollment."}


def test_the_scorecard_shows_decision_and_findings_with_their_evidence(folder):
    [card] = (folder / "out" / "scorecards").glob("*model-b*")
    text = card.read_text()
    assert text.index("## Decision") < text.index("## Scores") < text.index("## Findings")
    assert text.count("## Findings") == 1
    assert "“Tutoring caused the growth of enrollment.”" in text
    result = json.loads(next((folder / "out" / "results").glob("*model-b*")).read_text())
    assert result["extensions"]["decision"]["status"] == "fail"
    assert result["extensions"]["decision"]["per_task"]["T-1"]["rule"] == "blocking_fail"


def test_a_policy_decides_anew_and_back_without_scoring(folder):
    out = folder / "out"
    before = content(out)
    (folder / "mine.toml").write_text(STRICT)
    done = call("decide", out, "--policy", folder / "mine.toml")
    assert done.exit_code == 0, done.output
    row = status(out, "acme/model-a", "T-2")
    assert (row["status"], row["rule"], row["policy"]) == ("fail", "max_high", "mine")
    assert row["previous_status"] is not None
    assert row["policy_sha256"] == json.loads((out / "manifest.json").read_text())["policy"]["sha256"]
    changed = {name for name, data in content(out).items() if data != before[name]}
    assert {name.split("/")[0] for name in changed} == {"decisions.parquet", "results", "scorecards"}
    again = redecide(out, Policy())
    assert again.n_changed > 0
    assert_frame_equal(
        again.decisions.drop("previous_status"),
        pl.read_parquet(run_score(folder, "fresh") / "decisions.parquet").drop("previous_status"),
    )


def test_scoring_twice_gives_the_same_bytes(folder):
    assert content(run_score(folder, "again")) == content(run_score(folder, "third"))


def test_the_gate_ends_with_1_and_says_why(folder):
    out = folder / "out"
    failed = call("gate", out, "--junit", folder / "gate.xml")
    assert failed.exit_code != 0
    assert isinstance(failed.exception, GradeError)
    assert failed.exception.exit_code == 1
    assert "FAIL acme/model-b: fail (blocking_fail)" in failed.output
    assert 'name="acme/model-b"' in (folder / "gate.xml").read_text()
    assert call("gate", out, "--min-status", "fail").exit_code == 0
    annotated = call("gate", out, "--min-status", "pass", "--github")
    assert "::error title=grade gate%3A acme/model-b::" in annotated.output
    unknown = call("gate", out, "--model", "acme/model-x")
    assert isinstance(unknown.exception, InputError)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_person_decides_against_a_match(folder, ending):
    out, file = folder / "out", folder / f"queue.{ending}"
    listed = call("review", "queue", out, "--out", file)
    assert listed.exit_code == 0, listed.output
    rows = read_queue(file)
    values = [float(row["review_value"]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert (rows[0]["why"], rows[0]["model_id"]) == ("blocking_claim", "acme/model-b")
    assert rows[0]["evidence"] == "Tutoring caused the growth of enrollment."
    assert "Tutoring caused the growth of enrollment." in rows[0]["question"]
    for row in rows:
        if row["why"] == "blocking_claim" and row["task_id"] == "T-1":
            row["score"] = "fail"  # the answer does not make the claim
    write_queue_file(file, rows)
    done = call("review", "apply", file, "--name", "ana")
    assert done.exit_code == 0, done.output
    checks = pl.read_parquet(out / "claim_checks.parquet").filter(
        (pl.col("model_id") == "acme/model-b") & (pl.col("claim_id") == "forbidden:0")
    )
    assert set(checks.filter(pl.col("task_id") == "T-1").select("made", "status").rows()) == {
        (False, "judge")
    }
    assert set(checks.filter(pl.col("task_id") == "T-2").select("made", "status").rows()) == {
        (True, "contained")
    }
    assert set(pl.read_parquet(out / "verdicts.parquet")["judge_id"]) == {"judge-1", "human:ana"}
    after = status(out, "acme/model-b", "T-1")
    assert (after["previous_status"], after["status"]) == ("fail", "human_review")
    assert "acme/model-b T-1: fail -> human_review" in done.output
    assert "of 6 decisions changed" in done.output
    assert "runs or packs are not the ones" not in done.output
    fresh = run_score(folder, "fresh", str(folder / "queue.verdicts.jsonl"))
    assert_frame_equal(
        pl.read_parquet(fresh / "task_scores.parquet"), pl.read_parquet(out / "task_scores.parquet")
    )


def test_a_review_reads_back_whatever_an_answer_says(tmp_path):
    """A cell may be longer than the CSV reader's own limit, and a text may hold a line separator."""
    said = "135 students.\u2028Und \u00e4hnlich. " + "x" * 200_000
    row = {"model_id": "m", "answer": said, "score": "pass"}
    write_queue_file(tmp_path / "q.csv", [row])
    (tmp_path / "q.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n\n", "utf-8")
    assert _read_rows(tmp_path / "q.csv") == _read_rows(tmp_path / "q.jsonl") == [row]


def test_a_review_without_name_or_scores_is_told(folder):
    file = folder / "queue.csv"
    call("review", "queue", folder / "out", "--out", file)
    assert "no score is filled in" in str(call("review", "apply", file, "--name", "ana").exception)
    rows = read_queue(file)
    rows[0]["score"] = "5"
    write_queue_file(file, rows)
    assert "does not say who judged" in str(call("review", "apply", file).exception)
    rows[0]["score"] = "maybe"
    write_queue_file(file, rows)
    refused = call("review", "apply", file, "--name", "ana")
    assert (refused.exception.exit_code, "out_of_range" in str(refused.exception)) == (3, True)
    odd = call("review", "queue", folder / "out", "--out", folder / "queue.xlsx")
    assert "CSV or JSON lines" in str(odd.exception)


def test_reports_go_out_and_come_back_as_the_same_rows(folder):
    out = folder / "out"
    paths = export_report(out, folder / "reports")
    assert len(paths) == 4
    back = read_reports(folder / "reports")
    for name in ("category_results", "findings"):
        assert_frame_equal(getattr(back, name), pl.read_parquet(out / f"{name}.parquet"))
    assert_frame_equal(back.decisions, pl.read_parquet(out / "decisions.parquet").drop_nulls("task_id"))
    [one] = export_report(out, folder / "one", model="acme/model-b", task="T-1")
    report = json.loads(one.read_text())
    assert (report["schemaVersion"], report["overallDecision"], report["pass"]) == ("v2", "fail", False)
    assert report["metadata"]["generatedAt"] == "2026-06-01T09:00:04Z"
    assert report["blocking"] == ["forbidden_claim_made"]
    with pytest.raises(InputError, match="no such task"):
        export_report(out, folder / "none", task="T-9")


def test_report_files_are_verdicts_too(folder):
    judged = {
        "schemaVersion": "v2",
        "metadata": {"document": "acme/model-a/T-1/0", "generatedAt": "2026-06-01T09:00:00Z"},
        "reviewType": "answer",
        "judge": {"judge_id": "judge-9"},
        "categories": [
            {"category": "structure_usability", "score": "fail", "reasoning": "No order."},
            {"category": "evidence_linkage", "score": "4 - good", "reasoning": ""},
        ],
        "decision": {"status": "fail"},
    }
    write_lines(folder / "judged.json", [judged])
    out = run_score(folder, "reported", str(folder / "judged.json"))
    taken = pl.read_parquet(out / "verdicts.parquet").filter(pl.col("judge_id") == "judge-9")
    assert taken.select("dimension", "score", "reasoning").rows() == [
        ("structure_usability", "fail", "No order.")
    ]
    [refused] = pl.read_parquet(out / "rejects.parquet").rows(named=True)
    assert refused["reason"] == "out_of_range"
    category = pl.read_parquet(out / "category_results.parquet").filter(
        (pl.col("model_id") == "acme/model-a") & (pl.col("task_id") == "T-1") & (pl.col("n_unreadable") > 0)
    )
    assert category.select("dimension", "n_unreadable", "unit_score").rows() == [("evidence_linkage", 1, 1.0)]
    assert pl.read_parquet(out / "disagreements.parquet").height == 1


def read_queue(file: Path) -> list[dict]:
    if file.suffix == ".csv":
        with file.open(newline="") as lines:
            return list(csv.DictReader(lines))
    return [json.loads(line) for line in file.read_text().splitlines()]


def write_queue_file(file: Path, rows: list[dict]) -> None:
    if file.suffix == ".csv":
        with file.open("w", newline="") as lines:
            writer = csv.DictWriter(lines, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    else:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
