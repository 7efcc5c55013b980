from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from grade.errors import InputError, SettingsError
from grade.judging.keys import DEFAULT_PARAMETERS, Judge, write_parameters
from grade.judging.records import Asked, build_judgement
from grade.judging.replies import read_reply
from grade.judging.tables import JUDGEMENTS
from pipelines.judging import requests as batches
from pipelines.judging.budget import Budget, Prices
from pipelines.judging.endpoint import BusyError, read_body
from pipelines.judging.journal import Journal, LeftJournal
from pipelines.judging.store import Claim, Store, is_store, read_store

ROOT = Path(__file__).parents[3]
JUDGE = Judge("j", write_parameters(DEFAULT_PARAMETERS))
GOOD = json.dumps({"stated": "yes", "confidence": 0.9, "quotes": [], "reasoning": "So."})


def judgement(name: str, text: str = GOOD, asked_utc: str = "2026-01-01T00:00:00+00:00") -> dict:
    question = {"question_key": name, "repeat": 0, "kind": "insight", "template": "claim.v1"}
    question |= {"model_id": "m", "task_id": "T", "run_index": 0, "dimension": None, "claim_id": "insight:0"}
    question |= {"answer_text": "Answer."}
    reading = read_reply(text, is_claim=True)
    return build_judgement(
        question,
        JUDGE,
        Asked((text,), prompt_tokens=5),
        reading,
        first_problem=reading.problem,
        flags=(),
        asked_utc=asked_utc,
    )


def key(name: str) -> str:
    return JUDGE.verdict_key(name, 0)


def test_what_was_appended_is_read_at_once_and_after_closing_stands_in_a_part(tmp_path):
    with Store(tmp_path / "s") as store:
        store.append(judgement("a"))
        store.append(judgement("b"))
        during = read_store(tmp_path / "s")
        assert not list((tmp_path / "s/parts").iterdir())
    after = read_store(tmp_path / "s")
    assert during.equals(after)
    assert after.columns == list(JUDGEMENTS.columns)
    assert set(after["verdict_key"]) == {key("a"), key("b")}
    assert len(list((tmp_path / "s/parts").iterdir())) == 1
    assert not list((tmp_path / "s/journals").iterdir())


def test_the_same_judgements_make_the_same_bytes(tmp_path):
    for name, order in (("one", "ab"), ("two", "ba")):
        with Store(tmp_path / name) as store:
            for question in order:
                store.append(judgement(question))
    (one,) = (tmp_path / "one/parts").iterdir()
    (two,) = (tmp_path / "two/parts").iterdir()
    assert (one.name, one.read_bytes()) == (two.name, two.read_bytes())


def test_parts_are_closed_as_they_fill(tmp_path, monkeypatch):
    monkeypatch.setattr("pipelines.judging.store._PART_ROWS", 2)
    with Store(tmp_path / "s") as store:
        for n in range(5):
            store.append(judgement(str(n)))
        assert len(list((tmp_path / "s/parts").iterdir())) == 2
        assert all(store.is_answered(key(str(n))) for n in range(5))
    assert read_store(tmp_path / "s").height == 5


def test_a_line_that_was_cut_off_with_its_process_is_none_and_the_others_count(tmp_path):
    with Store(tmp_path / "s"):
        pass
    left = tmp_path / "s/journals/left.jsonl"
    whole = json.dumps(judgement("a")) + "\n"
    left.write_text(whole + json.dumps(judgement("b"))[:-20])
    assert read_store(tmp_path / "s")["question_key"].to_list() == ["a"]
    with Store(tmp_path / "s") as store:
        assert store.claim(key("a")) is Claim.ANSWERED
        assert store.claim(key("b")) is Claim.TAKEN
        store.release(key("b"))
    assert not left.exists()
    assert read_store(tmp_path / "s")["question_key"].to_list() == ["a"]


def test_a_journal_is_taken_over_from_the_dead_only(tmp_path):
    journal = Journal(tmp_path)
    assert LeftJournal.take(journal.path) is None
    journal.append(judgement("a"))
    os.close(journal._descriptor)
    left = LeftJournal.take(journal.path)
    assert [row["question_key"] for row in left.rows()] == ["a"]
    assert LeftJournal.take(journal.path) is None
    left.discard()
    assert LeftJournal.take(journal.path) is None


OTHER = """
import json, pathlib, sys, time
from pipelines.judging.store import Store
folder, key, row = sys.argv[1:]
with Store(pathlib.Path(folder)) as store:
    print(store.claim(key).name, flush=True)
    sys.stdin.readline()
    store.append(json.loads(row))
"""


def test_another_process_s_question_is_left_to_it(tmp_path):
    row = json.dumps(judgement("a"))
    command = [sys.executable, "-c", OTHER, str(tmp_path / "s"), key("a"), row]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (
        Store(tmp_path / "s") as store,
        subprocess.Popen(command, env=environment, **pipes) as other,
    ):
        assert other.stdout.readline().strip() == "TAKEN"
        assert store.claim(key("a")) is Claim.HELD
        assert store.claim(key("b")) is Claim.TAKEN
        other.communicate("go on\n", timeout=60)
        assert store.claim(key("a")) is Claim.ANSWERED


def test_a_killed_process_blocks_nobody(tmp_path):
    command = [sys.executable, "-c", OTHER, str(tmp_path / "s"), key("a"), "{}"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (
        Store(tmp_path / "s") as store,
        subprocess.Popen(command, env=environment, **pipes) as other,
    ):
        other.stdout.readline()
        assert store.claim(key("a")) is Claim.HELD
        other.kill()
        other.wait(10)
        assert store.claim(key("a")) is Claim.TAKEN


def test_a_readable_judgement_goes_before_an_unscored_one_and_an_earlier_before_a_later(tmp_path):
    with Store(tmp_path / "s") as store:
        store.append(judgement("a", text="hm"))
        store.append(judgement("b", asked_utc="2026-01-02T00:00:00+00:00"))
    with Store(tmp_path / "s") as store:
        assert store.claim(key("a")) is Claim.ANSWERED
    with Store(tmp_path / "s", retry_unscored=True) as store:
        assert store.claim(key("a")) is Claim.TAKEN
        assert store.claim(key("b")) is Claim.ANSWERED
        store.append(judgement("a", asked_utc="2026-01-03T00:00:00+00:00"))
        store.append(judgement("b", asked_utc="2026-01-01T00:00:00+00:00"))
    rows = {row["question_key"]: row for row in read_store(tmp_path / "s").to_dicts()}
    assert rows["a"]["reply_state"] == "read"
    assert rows["b"]["asked_utc"].startswith("2026-01-01")


def test_a_store_is_made_in_an_empty_place_only(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file.txt").touch()
    (tmp_path / "file").touch()
    for name in ("other", "file"):
        with pytest.raises(InputError, match="no verdict store"):
            Store(tmp_path / name)
    with pytest.raises(InputError, match="no verdict store"):
        read_store(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    Store(tmp_path / "empty").close()
    assert is_store(tmp_path / "empty")
    assert read_store(tmp_path / "empty").is_empty()


def test_a_damaged_part_is_told(tmp_path):
    Store(tmp_path / "s").close()
    (tmp_path / "s/parts/part-x.parquet").write_bytes(b"PAR1broken")
    with pytest.raises(InputError, match="cannot be read"):
        read_store(tmp_path / "s")


def test_texts_of_any_kind_come_back(tmp_path):
    text = "\ud800 \u2028 \x00 \r\n 😀"
    with Store(tmp_path / "s") as store:
        store.append(judgement("a", text=text))
    (stored,) = read_store(tmp_path / "s")["raw_replies"].to_list()
    assert stored[0] == text.encode("utf-8", "replace").decode()


def test_money_is_set_aside_for_the_worst_case_and_given_back():
    budget = Budget(None, 1.0, Prices(1_000_000 * 0.75e-3 * 0.4, 0.0), {"max_tokens": 10})
    first, second = budget.reserve(1_000), budget.reserve(1_000)
    assert (first, second) == (pytest.approx(0.4, rel=1e-2), pytest.approx(0.4, rel=1e-2))
    waiter = threading.Thread(target=lambda: third.append(budget.reserve(1_000)))
    third: list[float | None] = []
    waiter.start()
    time.sleep(0.05)
    assert not third
    budget.settle(first, 0.1)
    waiter.join(5)
    assert third == [pytest.approx(0.4, rel=1e-2)]
    budget.settle(second, None)
    budget.settle(third[0], 0.3)
    assert budget.usd == pytest.approx(0.8, rel=1e-2)
    assert budget.reserve(1_000) is None
    assert budget.n_calls == 3


def test_a_ceiling_without_prices_is_refused():
    for prices in (Prices(), Prices(1.0), Prices(None, 1.0)):
        with pytest.raises(SettingsError, match="needs prices"):
            Budget(None, 1.0, prices, {})


def test_many_requests_go_into_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "MOST_REQUESTS", 3)
    monkeypatch.setattr(batches, "MOST_BYTES", 25)
    lines = [b"1234567890\n", b"1\n", b"2\n", b"3\n", b"1234567890\n", b"1234567890\n", b"1234567890\n"]
    files = batches.write_lines(lines, tmp_path / "b.jsonl")
    assert [file.name for file in files] == ["b.jsonl", "b-002.jsonl", "b-003.jsonl"]
    read = [file.read_bytes().splitlines(keepends=True) for file in files]
    assert [len(part) for part in read] == [3, 3, 1]
    assert [line for part in read for line in part] == lines
    assert batches.write_lines([], tmp_path / "none.jsonl") == ()


@pytest.mark.parametrize("body", [None, [], {}, {"choices": None}, {"choices": []}, {"choices": ["x"]}, "x"])
def test_a_body_without_choices_is_no_answer(body):
    with pytest.raises(BusyError):
        read_body(body)


def test_nothing_in_a_body_is_trusted():
    usage = {"prompt_tokens": True, "completion_tokens": 1.5, "cost": math.inf}
    body = {"choices": [{"message": {"content": None}, "finish_reason": 3}], "model": 7, "usage": usage}
    assert read_body(body) == ("", None, None, None, None, None, None)
    body = {"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": 3, "cost": 0}}
    assert read_body(body) == ("hi", None, None, 3, None, 0.0, None)


def test_a_judgement_without_a_readable_reply_has_no_score():
    row = judgement("a", text="4.2/10")
    assert (row["reply_state"], row["problem"], row["score"], row["confidence"]) == (
        "unscored",
        "no_json",
        None,
        None,
    )
    frame = pl.DataFrame([row], schema=JUDGEMENTS.dtypes)
    assert frame["raw_replies"].to_list() == [["4.2/10"]]
