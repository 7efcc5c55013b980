"""Logs of Inspect AI, written by its own library where that is installed."""

from __future__ import annotations

import json
import sys

import pytest

from grade.errors import InputError
from pipelines.imports.keys import KeyOptions
from pipelines.imports.run import ImportRequest, import_answers

ANSWER = "## Findings\n- Attendance was 82.4%.\n"


def bring(path, out):
    request = ImportRequest(format_name="auto", paths=(str(path),), out=out, keys=KeyOptions())
    done = import_answers(request)
    return [json.loads(line) for line in out.read_text().splitlines()], done


def written(folder, suffix):
    """A log of two samples in two epochs and one that failed, as the library writes it."""
    log = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed (grade[inspect])")
    model = pytest.importorskip("inspect_ai.model")

    def sample(name, epoch, text):
        usage = model.ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        output = model.ModelOutput.from_content("mockllm/model", text, "max_tokens" if epoch == 2 else "stop")
        output.usage, output.time = usage, 1.5
        about = {"task_id": "T9"} if name == "b" else {}
        return log.EvalSample(
            id=name, epoch=epoch, input="?", target="", messages=[], output=output, model_usage={"mockllm/model": usage}, metadata=about
        )  # fmt: skip

    samples = [sample("a", 1, ANSWER), sample("a", 2, "It fell."), sample("b", 1, "It rose.")]
    failed = log.EvalSample(id="c", epoch=1, input="?", target="", messages=[])
    failed.error = log.EvalError(message="boom", traceback="", traceback_ansi="")
    spec = log.EvalSpec(
        created="2025-11-02T10:20:30+00:00",
        task="attendance",
        dataset=log.EvalDataset(),
        model="mockllm/model",
        config=log.EvalConfig(epochs=2),
    )
    made = log.EvalLog(
        status="success",
        eval=spec,
        samples=[*samples, failed],
        results=log.EvalResults(),
        stats=log.EvalStats(),
    )
    path = folder / f"log{suffix}"
    log.write_eval_log(made, str(path))
    return path


@pytest.mark.parametrize("suffix", [".eval", ".json"])
@pytest.mark.filterwarnings("ignore")
def test_a_log_gives_a_run_for_each_sample_and_epoch(tmp_path, suffix):
    runs, done = bring(written(tmp_path, suffix), tmp_path / "runs.jsonl")
    told = sorted((run["task_id"], run["run_index"], run["raw_response_text"]) for run in runs)
    assert told == [("T9", 0, "It rose."), ("a", 0, ANSWER), ("a", 1, "It fell.")]
    first = next(run for run in runs if run["raw_response_text"] == ANSWER)
    assert first["model_id"] == "mockllm/model"
    assert first["key_findings"] == ["Attendance was 82.4%."]
    about = first["runtime_metadata"]
    assert (about["prompt_tokens"], about["completion_tokens"], about["latency_ms"]) == (100, 20, 1500.0)
    second = next(run for run in runs if run["raw_response_text"] == "It fell.")
    assert second["runtime_metadata"]["finish_reason"] == "length"
    assert json.loads(first["imported"]["original"])["id"] == "a"
    assert [(one.reason, "boom" in one.detail) for one in done.skipped] == [("failed_request", True)]
    assert done.files[0][2] is not None


@pytest.mark.filterwarnings("ignore")
def test_a_broken_log_is_told_and_no_other_file_lost(tmp_path):
    pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed (grade[inspect])")
    (tmp_path / "log.eval").write_bytes(b"PK no log")
    runs, done = bring(tmp_path / "log.eval", tmp_path / "runs.jsonl")
    assert runs == []
    assert [one.reason for one in done.skipped] == ["other_format"]


def test_without_the_library_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    (tmp_path / "log.eval").write_bytes(b"x")
    with pytest.raises(InputError, match=r"grade\[inspect\]"):
        bring(tmp_path / "log.eval", tmp_path / "runs.jsonl")
