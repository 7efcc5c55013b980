"""Each format that is imported, in small files that follow the real ones."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import polars as pl
import pytest

from grade.errors import InputError, OutputError, SettingsError
from grade.imports.reasons import LEFT_OUT, SKIPS
from pipelines.imports.keys import KeyOptions
from pipelines.imports.registry import AUTO, READERS
from pipelines.imports.run import ImportRequest, import_answers
from pipelines.imports.table import parse_columns

ANSWER = "## Key findings\n- **Attendance rate**: 82.4%\n\n## Limitations\n- One quarter only.\n\n## Sources\n- visits.csv, column held\n"


@pytest.fixture
def bring(tmp_path):
    """Import files of the temporary folder; the runs and what was done."""

    def run(format_name, *paths, out="runs.jsonl", options=None, packs=None, keeps_originals=True, **keys):
        request = ImportRequest(
            format_name=format_name,
            paths=tuple(str(tmp_path / path) for path in paths),
            out=tmp_path / out,
            keys=KeyOptions(**keys),
            packs=packs,
            options=options or {},
            keeps_originals=keeps_originals,
        )
        done = import_answers(request)
        return [json.loads(line) for line in (tmp_path / out).read_text().splitlines()], done

    return run


def lines(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
    )


def key(run):
    return run["model_id"], run["task_id"], run["run_index"]


def chat(custom_id, text, **more):
    body = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1767225600, "model": "gpt-x-2025",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": None}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 45, "total_tokens": 165},
    } | more  # fmt: skip
    return {
        "id": "batch_req_1",
        "custom_id": custom_id,
        "response": {"status_code": 200, "request_id": "r", "body": body},
        "error": None,
    }


# text


def test_text_files_are_named_by_their_folders(bring, tmp_path):
    for name, text in {
        "a/m-1/T1/0.md": ANSWER,
        "a/m-1/T1/1.md": "It rose to 3.",
        "a/m-2/T1/0.txt": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    runs, done = bring("text", "a")
    assert [key(run) for run in runs] == [("m-1", "T1", 0), ("m-1", "T1", 1), ("m-2", "T1", 0)]
    first = runs[0]
    assert first["raw_response_text"] == ANSWER
    assert first["key_findings"] == ["Attendance rate: 82.4%"]
    assert first["limitations"] == ["One quarter only."]
    assert first["structured_metrics"] == {"attendance_rate": "82.4%"}
    assert first["evidence_citations"] == [
        {"citation_text": "visits.csv, column held", "source_file": "visits.csv", "source_column": "held"}
    ]
    [[[start, end]]] = first["imported"]["places"]["limitations"]
    assert ANSWER[start:end] == "One quarter only."
    assert first["imported"]["original"] is None
    assert (done.n_read, done.n_written, done.n_empty, done.n_faults) == (3, 3, 1, 0)


def test_text_files_are_named_by_a_pattern(bring, tmp_path):
    (tmp_path / "OPS-T1-04__my-model__run2.md").write_text("It fell.")
    (tmp_path / "readme.md").write_text("Not an answer.")
    runs, done = bring("text", "*.md", pattern="{task}__{model}__run{run}.md")
    assert [key(run) for run in runs] == [("my-model", "OPS-T1-04", 2)]
    assert [one.reason for one in done.skipped] == ["missing_task"]


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_text_files_are_named_by_a_mapping_file(bring, tmp_path, suffix):
    (tmp_path / "one.md").write_text("It fell.")
    (tmp_path / "two.md").write_text("It rose.")
    row = {"file": "one.md", "task": "T9", "model": "org/m", "run": 4}
    content = {
        "csv": "file,task,model,run\none.md,T9,org/m,4\n",
        "json": json.dumps([row]),
        "jsonl": json.dumps(row) + "\n",
    }
    (tmp_path / f"map.{suffix}").write_text(content[suffix])
    runs, done = bring("text", "*.md", mapping=tmp_path / f"map.{suffix}")
    assert [key(run) for run in runs] == [("org/m", "T9", 4)]
    assert [(one.file.rpartition("/")[2], one.reason) for one in done.skipped] == [("two.md", "not_mapped")]


def test_text_in_a_field_of_json_lines(bring, tmp_path):
    lines(
        tmp_path / "a.jsonl",
        {"q": {"id": "T1"}, "by": "m", "reply": ANSWER, "latency_ms": 12.5},
        {"q": {"id": "T1"}, "by": "m", "reply": "More."},
    )
    runs, done = bring(
        "text", "a.jsonl", options={"text_field": "reply"}, task_field="q.id", model_field="by"
    )
    assert [key(run) for run in runs] == [("m", "T1", 0), ("m", "T1", 1)]
    assert runs[0]["runtime_metadata"]["latency_ms"] == 12.5
    assert json.loads(runs[0]["imported"]["original"])["by"] == "m"
    assert runs[1]["imported"]["line"] == 2
    assert done.n_faults == 0


def test_compressed_and_marked_text_is_read(bring, tmp_path):
    (tmp_path / "m/T1").mkdir(parents=True)
    (tmp_path / "m/T1/0.md.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfIt rose."))
    (tmp_path / "m/T1/1.md").write_bytes(b"caf\xe9")
    runs, done = bring("text", "m")
    assert [run["raw_response_text"] for run in runs] == ["It rose."]
    assert [one.reason for one in done.skipped] == ["not_utf8"]


# openai-batch


def test_batch_results_carry_tokens_and_keys(bring, tmp_path):
    failed = {
        "id": "x",
        "custom_id": "T2/0",
        "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}},
        "error": None,
    }
    expired = {
        "id": "y",
        "custom_id": "T3/0",
        "response": None,
        "error": {"code": "batch_expired", "message": "too late"},
    }
    lines(
        tmp_path / "b.jsonl",
        chat("T1/0", ANSWER),
        chat("T1/org/m-9/3", "By id."),
        failed,
        '{"custom_id": "T4/0", "resp',
        expired,
        chat("T5/0", None),
    )
    runs, done = bring("openai-batch", "b.jsonl")
    assert [key(run) for run in runs] == [("gpt-x-2025", "T1", 0), ("org/m-9", "T1", 3)]
    assert runs[0]["runtime_metadata"] == {
        "adapter_version": "grade-import-openai-batch", "timestamp_utc": "2026-01-01T00:00:00+00:00", "provider": "openai",
        "finish_reason": "stop", "prompt_tokens": 120, "completion_tokens": 45,
    }  # fmt: skip
    assert [(one.line, one.reason) for one in done.skipped] == [
        (3, "failed_request"), (4, "truncated"), (5, "failed_request"), (6, "no_answer"),
    ]  # fmt: skip
    assert "slow down" in done.skipped[0].detail


def test_batch_results_of_the_responses_interface(bring, tmp_path):
    body = {
        "object": "response", "created_at": 1767225600, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "model": "r-1",
        "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": "It "}, {"type": "output_text", "text": "rose."}]}],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }  # fmt: skip
    lines(
        tmp_path / "b.jsonl",
        {"custom_id": "T1", "response": {"status_code": 200, "body": body}, "error": None},
    )
    [run], _ = bring("openai-batch", "b.jsonl")
    assert key(run) == ("r-1", "T1", 0)
    assert run["raw_response_text"] == "It rose."
    assert run["runtime_metadata"]["finish_reason"] == "length"
    assert run["runtime_metadata"]["prompt_tokens"] == 7


# lm-eval


def sample(doc_id, texts, **more):
    return {
        "doc_id": doc_id, "doc": {"task_id": f"T{doc_id}", "question": "?"}, "target": "",
        "arguments": {"gen_args_0": {"arg_0": "prompt", "arg_1": {"until": ["\n\n"], "temperature": 0.5}}},
        "resps": [texts], "filtered_resps": [texts[0]], "filter": "none", "metrics": ["bleu"], "doc_hash": "a", "prompt_hash": "b", "target_hash": "c", "bleu": math.nan,
    } | more  # fmt: skip


def test_samples_of_lm_eval_with_repeats_filters_and_the_model_beside(bring, tmp_path):
    folder = tmp_path / "out/org__m-7b"
    stamp = "2025-11-02T10-20-30.123456"
    lines(
        folder / f"samples_attendance_{stamp}.jsonl",
        sample(0, ["First.", "Second."]),
        sample(0, ["First.", "Second."], filter="strict"),
        sample(1, ["Third."]),
    )
    (folder / f"results_{stamp}.json").write_text(
        json.dumps({"model_name": "org/m-7b-instruct", "config": {}})
    )
    runs, done = bring("lm-eval", "out/**/samples_*.jsonl")
    assert [(*key(run), run["raw_response_text"]) for run in runs] == [
        ("org/m-7b-instruct", "T0", 0, "First."), ("org/m-7b-instruct", "T0", 1, "Second."), ("org/m-7b-instruct", "T1", 0, "Third."),
    ]  # fmt: skip
    assert runs[0]["runtime_metadata"]["model_temperature"] == 0.5
    assert done.counts == {"logged_again": 1}
    assert done.n_faults == 0
    assert "NaN" in runs[0]["imported"]["original"]


def test_without_a_results_file_the_folder_names_the_model(bring, tmp_path):
    lines(
        tmp_path / "org__m/samples_a_2025-11-02T10-20-30.1.jsonl",
        sample(3, ["x"], doc={}),
        sample(4, [[-3.5, False]]),
    )
    runs, done = bring("lm-eval", "org__m")
    assert [key(run) for run in runs] == [("org/m", "3", 0)]
    assert [one.reason for one in done.skipped] == ["no_answer"]


# promptfoo


def result(task, output, **more):
    return {
        "cost": 0.0021, "gradingResult": None, "id": "1", "latencyMs": 812, "namedScores": {}, "prompt": {"raw": "p", "label": "p"}, "promptId": "p", "promptIdx": 0,
        "provider": {"id": "openai:chat:gpt-x", "label": ""}, "score": 1, "success": True, "testIdx": 0, "vars": {"task_id": task}, "failureReason": 0, "metadata": {},
        "testCase": {"vars": {"task_id": task}, "description": "about attendance"},
        "response": {"output": output, "tokenUsage": {"total": 30, "prompt": 20, "completion": 10}, "cached": False},
    } | more  # fmt: skip


def test_promptfoo_documents_and_lines(bring, tmp_path):
    failed = result("T2", None, error="API error: 500")
    document = {
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "timestamp": "2025-11-02T10:20:30Z",
            "prompts": [],
            "results": [result("T1", ANSWER), failed, result("T1", {"a": 1})],
            "stats": {},
        },
        "config": {},
        "shareableUrl": None,
    }
    (tmp_path / "p.json").write_text(json.dumps(document, indent=1))
    lines(tmp_path / "q.jsonl", result("T9", "A line."))
    runs, done = bring("promptfoo", "p.json", "q.jsonl")
    assert [key(run) for run in runs] == [
        ("openai:chat:gpt-x", "T1", 0),
        ("openai:chat:gpt-x", "T1", 1),
        ("openai:chat:gpt-x", "T9", 0),
    ]
    assert runs[0]["runtime_metadata"] == {
        "adapter_version": "grade-import-promptfoo", "provider": "openai", "latency_ms": 812.0, "cost_usd": 0.0021, "prompt_tokens": 20, "completion_tokens": 10,
    }  # fmt: skip
    assert runs[1]["raw_response_text"] == '{"a": 1}'
    assert json.loads(runs[0]["imported"]["original"])["promptIdx"] == 0
    assert [(one.reason, one.detail) for one in done.skipped] == [("failed_request", "API error: 500")]


# every_eval_ever


def instance(sample_id, texts, **more):
    return {
        "schema_version": "instance_level_eval_0.2.1", "evaluation_id": "e", "model_id": "org/m", "evaluation_name": "grade: composite", "sample_id": sample_id,
        "interaction_type": "single_turn", "input": {"raw": "?", "reference": []}, "output": {"raw": texts}, "answer_attribution": [],
        "evaluation": {"score": 0.5, "is_correct": False}, "token_usage": {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11}, "performance": {"latency_ms": 3.5},
    } | more  # fmt: skip


def test_instances_of_every_eval_ever(bring, tmp_path):
    talk = [
        {"turn_idx": 0, "role": "user", "content": "?"},
        {"turn_idx": 1, "role": "assistant", "content": "At last."},
    ]
    lines(
        tmp_path / "i.jsonl",
        instance("T1", ["One.", "Two."]),
        instance("T2", ["Once."], metadata={"run_index": "3"}),
        instance("T2", ["Once."], metadata={"run_index": "3"}, evaluation_name="grade: insight"),
        instance("T3", [], output=None, messages=talk, interaction_type="multi_turn"),
        instance("T4", [], output=None, error="timeout"),
    )
    runs, done = bring("eee", "i.jsonl")
    assert [(*key(run)[1:], run["raw_response_text"]) for run in runs] == [
        ("T1", 0, "One."),
        ("T1", 1, "Two."),
        ("T2", 3, "Once."),
        ("T3", 0, "At last."),
    ]
    assert runs[0]["runtime_metadata"]["completion_tokens"] == 6
    assert [one.reason for one in done.skipped] == ["logged_again", "failed_request"]


# tables


def test_a_csv_table_with_columns_of_its_own(bring, tmp_path):
    text = 'item,llm,rep,reply,ms\nT1,m,0,"Rose,\nthen fell.",12\nT1,m,x,Bad.,1\nT2,m,,Counted.,\nT3,m,0\nT4,m,0,,5\n'
    (tmp_path / "t.csv").write_text(text)
    columns = parse_columns(
        ["task_id=item", "model_id=llm", "run_index=rep", "raw_response_text=reply", "latency_ms=ms"]
    )
    runs, done = bring("table", "t.csv", options={"columns": columns})
    assert [(*key(run), run["raw_response_text"]) for run in runs] == [
        ("m", "T1", 0, "Rose,\nthen fell."),
        ("m", "T2", 0, "Counted."),
    ]
    assert runs[0]["runtime_metadata"]["latency_ms"] == 12.0
    assert sorted((one.line, one.reason) for one in done.skipped) == [
        (4, "bad_run_index"),
        (6, "bad_csv"),
        (7, "no_answer"),
    ]


def test_a_parquet_table_with_fields_of_its_own(bring, tmp_path):
    frame = pl.DataFrame(
        {
            "task_id": ["T1"],
            "model_id": ["m"],
            "run_index": [2],
            "answer": [ANSWER],
            "key_findings": [["Own finding."]],
            "structured_metrics": ['{"rate": 0.5}'],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    [run], _ = bring("table", "t.parquet")
    assert key(run) == ("m", "T1", 2)
    assert run["key_findings"] == ["Own finding."]
    assert run["structured_metrics"] == {"rate": 0.5}
    assert run["limitations"] == ["One quarter only."]
    assert set(run["imported"]["places"]) == {"limitations", "evidence_citations"}


def test_a_column_that_is_not_there_is_named(bring, tmp_path):
    (tmp_path / "t.csv").write_text("item,reply\nT1,x\n")
    runs, done = bring("table", "t.csv", options={"columns": {"task_id": "itm"}}, model="m")
    assert runs == []
    assert [(one.reason, one.detail) for one in done.skipped] == [
        ("missing_field", "the table has no column 'itm'; did you mean item?")
    ]
    with pytest.raises(SettingsError, match="did you mean task_id"):
        parse_columns(["task_di=item"])


# all formats


def test_auto_tells_each_file_by_itself(bring, tmp_path):
    folder = tmp_path / "in"
    lines(folder / "a.jsonl", chat("T1/0", "Batch."))
    lines(folder / "b.jsonl", instance("T2", ["Instance."]))
    lines(folder / "c/org__m/samples_x_2025-11-02T10-20-30.1.jsonl", sample(3, ["Sample."]))
    (folder / "d.json").write_text(json.dumps({"results": {"results": [result("T4", "Foo.")]}}))
    (folder / "m/T5").mkdir(parents=True)
    (folder / "m/T5/0.md").write_text("Text.")
    (folder / "t.csv").write_text("task_id,model_id,answer\nT6,m,Table.\n")
    runs, done = bring("auto", "in")
    assert sorted((run["task_id"], run["raw_response_text"], run["imported"]["format"]) for run in runs) == [
        ("T1", "Batch.", "openai-batch"), ("T2", "Instance.", "eee"), ("T3", "Sample.", "lm-eval"), ("T4", "Foo.", "promptfoo"), ("T5", "Text.", "text"), ("T6", "Table.", "table"),
    ]  # fmt: skip
    assert done.n_faults == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"a": 1}\n', "keys a"),
        ('{"task_id": "T", "model_id": "m", "run_index": 0}\n', "grade score"),
        ("no json\n", "bad_json"),
        ("", "no record"),
    ],
)
def test_auto_refuses_what_it_cannot_tell(bring, tmp_path, content, told):
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(InputError, match=told):
        bring("auto", "x.jsonl")
    assert not (tmp_path / "runs.jsonl").exists()


def test_equal_copies_are_one_run_and_differing_copies_none(bring, tmp_path):
    lines(
        tmp_path / "b.jsonl",
        chat("T1/0", "A."),
        chat("T2/0", "B."),
        chat("T1/0", "A."),
        chat("T2/0", "C."),
        chat("T3/0", "D."),
        chat("T2/0", "B."),
    )
    runs, done = bring("openai-batch", "b.jsonl")
    assert [run["task_id"] for run in runs] == ["T1", "T3"]
    assert done.counts == {"duplicate": 2, "duplicate_conflict": 2}
    assert done.n_read == 6 == done.n_written + done.counts.total()


def test_unknown_tasks_are_left_out_where_tasks_are_given(bring, tmp_path):
    (tmp_path / "packs").mkdir()
    weights = {
        "grounding_accuracy": 0.35,
        "insight_quality": 0.2,
        "evidence_linkage": 0.15,
        "calibration_limitation_handling": 0.15,
        "consistency": 0.1,
        "structure_usability": 0.05,
    }
    task = {
        "task_id": "T1", "track": 1, "title": "t", "user_prompt": "?", "task_type": "x", "allowed_inputs": [], "gold_facts": [], "gold_insights": [], "required_limitations": [],
        "forbidden_claims": [], "rubric": {name: {"weight": weight} for name, weight in weights.items()},
    }  # fmt: skip
    lines(tmp_path / "packs/tasks.jsonl", task)
    lines(tmp_path / "b.jsonl", chat("T1/0", "A."), chat("T2/0", "B."))
    runs, done = bring("openai-batch", "b.jsonl", packs=tmp_path / "packs")
    assert [run["task_id"] for run in runs] == ["T1"]
    assert (done.counts, done.n_faults) == ({"unknown_task": 1}, 0)


def test_the_same_files_give_the_same_bytes_and_an_import_may_be_replaced(bring, tmp_path):
    lines(tmp_path / "b.jsonl", chat("T1/0", ANSWER), chat("T2/0", "B."))
    bring("openai-batch", "b.jsonl")
    first = (tmp_path / "runs.jsonl").read_bytes()
    bring("openai-batch", "b.jsonl")
    assert (tmp_path / "runs.jsonl").read_bytes() == first
    assert list(tmp_path.glob(".grade-*")) == []


def test_nothing_but_an_import_is_overwritten(bring, tmp_path):
    lines(tmp_path / "b.jsonl", chat("T1/0", "A."))
    for content in ['{"task_id": "T1"}\n', "notes\n", "[1]\n"]:
        (tmp_path / "runs.jsonl").write_text(content)
        with pytest.raises(OutputError, match="not an earlier import"):
            bring("openai-batch", "b.jsonl")
        assert (tmp_path / "runs.jsonl").read_text() == content


def test_a_failure_leaves_the_earlier_import(bring, tmp_path, monkeypatch):
    lines(tmp_path / "b.jsonl", chat("T1/0", "A."))
    bring("openai-batch", "b.jsonl")
    before = (tmp_path / "runs.jsonl").read_bytes()
    monkeypatch.setattr("pipelines.imports.run.make_run", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bring("openai-batch", "b.jsonl")
    assert (tmp_path / "runs.jsonl").read_bytes() == before
    assert list(tmp_path.glob(".grade-*")) == []


def test_lone_surrogates_and_foreign_records_are_skipped_alone(bring, tmp_path):
    lines(
        tmp_path / "b.jsonl",
        chat("T1/0", "A."),
        json.dumps(chat("T2/0", "B")).replace('"B"', '"\\ud800"'),
        "[1]",
        {"other": 1},
        chat("T3/0", "C."),
    )
    runs, done = bring("openai-batch", "b.jsonl")
    assert [run["task_id"] for run in runs] == ["T1", "T3"]
    assert [(one.line, one.reason) for one in done.skipped] == [
        (2, "lone_surrogate"),
        (3, "other_format"),
        (4, "other_format"),
    ]


def test_originals_are_left_out_when_asked(bring, tmp_path):
    lines(tmp_path / "b.jsonl", chat("T1/0", "A."))
    [run], _ = bring("openai-batch", "b.jsonl", keeps_originals=False)
    assert run["imported"]["original"] is None


def test_unknown_formats_and_outputs_are_refused(bring, tmp_path):
    lines(tmp_path / "b.jsonl", chat("T1/0", "A."))
    with pytest.raises(InputError, match="did you mean promptfoo"):
        bring("promptfo", "b.jsonl")
    with pytest.raises(SettingsError, match="ends in"):
        bring("openai-batch", "b.jsonl", out="runs.csv")
    with pytest.raises(SettingsError, match="did you mean task"):
        bring("openai-batch", "b.jsonl", pattern="{tsk}/{run}")


def test_the_page_names_every_format_and_code():
    page = (Path(__file__).parents[3] / "docs/how-to/import.md").read_text(encoding="utf-8")
    for name in [*(reader.name for reader in READERS), AUTO, *SKIPS, *LEFT_OUT]:
        assert f"| `{name}` |" in page
    for code, sentence in {**SKIPS, **LEFT_OUT}.items():
        assert f"| `{code}` | {sentence} |" in page
