"""`grade import` from files to a scored result, and what it says."""

from __future__ import annotations

import json

import polars as pl

ANSWER = "## Key findings\n- October lost 70 of its sessions, 26.1%.\n\n## Limitations\n- One quarter only.\n"


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_imported_answers_are_scored_and_the_original_is_passed_over(grade, tmp_path, inputs):
    tasks = [
        json.loads(line)["task_id"]
        for path in inputs.rglob("*.jsonl")
        for line in path.read_text().splitlines()
        if "gold_facts" in line
    ]
    for number in range(2):
        write(tmp_path, f"answers/my-model/{tasks[0]}/{number}.md", ANSWER)
    done = grade("import", "text", "answers", "--packs", "packs", "--out", "in/runs.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert "records read                  2" in done.stdout
    assert "runs written                  2  2 text" in done.stdout
    scored = grade("score", "in", "--packs", "packs", "--out", "result")
    assert scored.returncode == 0, scored.stderr
    runs = pl.read_parquet(tmp_path / "result/runs.parquet")
    assert runs["key_findings"].to_list() == [["October lost 70 of its sessions, 26.1%."]] * 2
    assert runs["adapter_version"].to_list() == ["grade-import-text"] * 2
    assert pl.read_parquet(tmp_path / "result/rejects.parquet").is_empty()


def test_faulty_records_end_with_3_unless_they_are_allowed(grade, tmp_path):
    write(tmp_path, "a.jsonl", '{"task": "T1", "text": "Good."}\nbroken\n{"task": "T2"}\n')
    command = ("import", "text", "a.jsonl", "--task-field", "task", "--model", "m", "--out", "runs.jsonl")
    done = grade(*command)
    assert done.returncode == 3
    assert "bad_json" in done.stdout
    assert "no_answer" in done.stdout
    assert "first: a.jsonl, line 2" in done.stderr
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 1
    allowed = grade(*command, "--max-skipped", "2", "--report", "skipped.jsonl")
    assert allowed.returncode == 0, allowed.stderr
    told = [json.loads(line) for line in (tmp_path / "skipped.jsonl").read_text().splitlines()]
    assert told[0]["skipped"] == {"bad_json": 1, "no_answer": 1}
    assert [(one["line"], one["reason"]) for one in told[2:]] == [(2, "bad_json"), (3, "no_answer")]


def test_typing_errors_are_met_with_the_nearest_name(grade, tmp_path):
    write(tmp_path, "a.jsonl", "{}\n")
    done = grade("import", "promptfo", "a.jsonl", "--out", "runs.jsonl")
    assert done.returncode == 2
    assert "did you mean promptfoo?" in done.stderr
    assert "Traceback" not in done.stderr
    lost = grade("import", "auto", "b.jsonl", "--out", "runs.jsonl")
    assert lost.returncode == 2
    assert "did you mean a.jsonl?" in lost.stderr


def test_a_reader_of_another_package_is_a_format(grade, tmp_path, monkeypatch):
    code = (
        "from grade.imports.answer import Answer\n"
        "def read(file):\n"
        "    for line in file.text().splitlines():\n"
        "        task, text = line.split('|')\n"
        "        yield Answer(text=text, task_id=task, model_id='m', original=line)\n"
        "read.suffixes = ('.ledger',)\n"
    )
    write(tmp_path, "site/grade_ledger.py", code)
    write(
        tmp_path,
        "site/grade_ledger-1.0.dist-info/METADATA",
        "Metadata-Version: 2.1\nName: grade-ledger\nVersion: 1.0\n",
    )
    write(
        tmp_path,
        "site/grade_ledger-1.0.dist-info/entry_points.txt",
        "[grade.readers]\nledger = grade_ledger:read\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    write(tmp_path, "in/a.ledger", "T1|It rose.\nT1|It fell.\n")
    done = grade("import", "ledger", "in", "--out", "runs.jsonl")
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [(run["run_index"], run["key_findings"]) for run in runs] == [(0, ["It rose."]), (1, ["It fell."])]
    assert "ledger: from the package grade-ledger 1.0" in " ".join(
        grade("import", "--help").stdout.replace("│", " ").split()
    )


def test_an_original_with_the_keys_of_a_run_does_not_disturb_scoring(grade, tmp_path, inputs):
    task = next(
        json.loads(line)["task_id"]
        for path in sorted(inputs.rglob("*.jsonl"))
        for line in path.read_text().splitlines()
        if "gold_facts" in line
    )
    record = {
        "task_id": task,
        "model_id": "m",
        "run_index": 4,
        "answer": ANSWER,
        "more": {"task_id": "x", "run_index": 9},
    }
    write(tmp_path, "a.jsonl", json.dumps(record) + "\n")
    assert grade("import", "text", "a.jsonl", "--out", "in/runs.jsonl").returncode == 0
    done = grade("score", "in", "--packs", "packs", "--out", "result")
    assert done.returncode == 0, done.stderr
    runs = pl.read_parquet(tmp_path / "result/runs.parquet")
    assert runs.select("task_id", "run_index").rows() == [(task, 4)]
    assert runs["input_flags"].to_list() == [[]]
