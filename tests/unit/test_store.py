"""A store of runs: added to, never half-changed, and the same whatever the order of what came in."""

from __future__ import annotations

import fcntl
import json
import random
from pathlib import Path

import polars as pl
import pytest

from grade.errors import InputError, OutputError
from grade.schemas import RUN_KEY
from pipelines import ingest as ingest_module
from pipelines import segments
from pipelines import store as store_module
from pipelines.ingest import ingest
from pipelines.segments import PartWriter, read_rows
from pipelines.store import locked_store, open_store, reading_store


def record(number: int, text: str = "first", **changes: object) -> dict:
    return {
        "task_id": f"T-{number % 3}",
        "model_id": f"m/{number % 7}",
        "run_index": number,
        "key_findings": [f"{text} {number}"],
        "raw_response_text": f"{text} answer {number}",
    } | changes


@pytest.fixture
def add(tmp_path):
    """Add records, or lines as they are, to the store; each call reads a file of its own."""

    def add(*records: dict | str, replaces: bool = False):
        path = tmp_path / f"runs-{len(list(tmp_path.glob('*.jsonl')))}.jsonl"
        lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in records]
        path.write_text("".join(f"{line}\n" for line in lines))
        return ingest([str(path)], tmp_path / "store", replaces=replaces)

    return add


def counts(done) -> tuple[int, int, int, int, int]:
    return done.n_records, done.n_added, done.n_replaced, done.n_duplicates, done.rejects.height


def texts(folder) -> dict[tuple, str]:
    """What the store holds: the full text of each run, by key."""
    index = open_store(folder).index
    rows = read_rows(folder, index)
    assert rows.select(RUN_KEY).equals(index.select(RUN_KEY))
    assert index.select(RUN_KEY).equals(index.select(RUN_KEY).sort(RUN_KEY))
    return {row[:3]: row[3] for row in rows.select(*RUN_KEY, "raw_response_text").rows()}


def files(folder) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock", ".readers"}


def test_runs_are_added_and_kept(add, tmp_path):
    assert counts(add(*map(record, range(5)))) == (5, 5, 0, 0, 0)
    done = add(*map(record, range(5, 8)))
    assert counts(done) == (3, 3, 0, 0, 0)
    assert done.store.index.height == len(texts(tmp_path / "store")) == 8
    assert done.store.n_records == 8


def test_an_equal_copy_is_counted_within_a_file_and_against_the_store(add):
    assert counts(add(record(1), record(1), record(2))) == (3, 2, 0, 1, 0)
    assert counts(add(record(2), record(3))) == (2, 1, 0, 1, 0)


def test_other_content_under_a_stored_key_is_refused_with_all_its_copies(add, tmp_path):
    add(record(1), record(2))
    done = add(record(1, "other"), record(1, "other"), record(3))
    assert counts(done) == (3, 1, 0, 0, 2)
    assert set(done.rejects["reason"]) == {"duplicate_conflict"}
    assert done.rejects["line"].to_list() == [1, 2]
    assert "--replace" in done.rejects["detail"][0]
    assert json.loads(done.rejects["raw"][0])["raw_response_text"] == "other answer 1"
    assert texts(tmp_path / "store")["m/1", "T-1", 1] == "first answer 1"


def test_replace_puts_other_content_in_its_place(add, tmp_path):
    add(record(1), record(2))
    done = add(record(1, "other"), record(1, "other"), record(2), record(3), replaces=True)
    assert counts(done) == (4, 1, 1, 2, 0)
    assert texts(tmp_path / "store")["m/1", "T-1", 1] == "other answer 1"
    assert (done.store.n_records, done.store.n_replaced, done.store.index.height) == (6, 1, 3)


@pytest.mark.parametrize("replaces", [False, True])
def test_copies_that_differ_are_all_refused_also_when_one_is_stored(add, tmp_path, replaces):
    add(record(1))
    done = add(record(1), record(1, "other"), replaces=replaces)
    assert counts(done) == (2, 0, 0, 0, 2)
    assert texts(tmp_path / "store")["m/1", "T-1", 1] == "first answer 1"


def test_records_that_cannot_be_read_are_refused_and_remembered(add, tmp_path):
    assert counts(add(record(1), "{broken", '{"task_id": "T-1"}')) == (3, 1, 0, 0, 2)
    add(record(2))
    store = open_store(tmp_path / "store")
    assert store.rejects["reason"].to_list() == ["bad_json", "missing_field"]
    assert store.n_records == store.index.height + store.n_duplicates + store.rejects.height
    assert [entry.name.rsplit("/", 1)[-1] for entry in store.inputs] == ["runs-0.jsonl", "runs-1.jsonl"]


def test_which_of_equal_copies_is_kept_does_not_depend_on_their_order(add, tmp_path):
    plain, mended = record(1), record(1, key_findings=["first 1", None])
    add(mended, plain)
    store = tmp_path / "store"
    first = read_rows(store, open_store(store).index)["input_flags"].to_list()
    store.rename(tmp_path / "before")
    add(plain, mended)
    assert read_rows(store, open_store(store).index)["input_flags"].to_list() == first == [[]]


@pytest.fixture
def small_steps(monkeypatch):
    """Tiny parts and row groups, so that a few runs go the way of many."""
    monkeypatch.setattr(ingest_module, "_PART_ROWS", 6)
    monkeypatch.setattr(ingest_module, "_BATCH_ROWS", 4)
    monkeypatch.setattr(segments, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(segments, "_RANGE_ROWS", 10)


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scattered_rows_are_put_in_order_and_none_is_lost(tmp_path, monkeypatch, seed):
    sorted_ones = []
    real = segments.sort_parts
    monkeypatch.setattr(ingest_module, "sort_parts", lambda *args: sorted_ones.append(1) or real(*args))
    monkeypatch.setattr(ingest_module, "_SCATTER", 1.5)
    paths = []
    numbers = random.Random(seed).sample(range(60), 60)
    for start in range(0, 60, 6):  # a file each, since a chunk of records is never cut
        paths.append(tmp_path / f"{start:02}.jsonl")
        paths[-1].write_text("".join(json.dumps(record(n)) + "\n" for n in numbers[start : start + 6]))
    store = tmp_path / "store"
    ingest(list(map(str, paths)), store)
    assert sorted_ones
    kept = texts(store)
    assert {key[2] for key in kept} == set(range(60))
    assert all(text == f"first answer {key[2]}" for key, text in kept.items())
    index = open_store(store).index
    assert segments.scatter(index, batch_rows=4) < 2
    living = {f"part-{part:06d}.parquet" for part in index["part"].unique()}
    assert {name for name in files(store) if name.startswith(("part", "range"))} == living


@pytest.mark.usefixtures("small_steps")
def test_rows_are_read_in_the_order_asked_for(add, tmp_path):
    add(*map(record, range(20)))
    index = open_store(tmp_path / "store").index
    wanted = index.sample(fraction=1, shuffle=True, seed=4)
    got = read_rows(tmp_path / "store", wanted, ("run_index",))
    assert got["run_index"].to_list() == wanted["run_index"].to_list()
    assert read_rows(tmp_path / "store", index.head(0)).height == 0


class Killed(BaseException):
    """Stands for the end of the process."""


STEPS = ("first part", "index", "flush", "exchange", "clearing")


def die_at(step: str, monkeypatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise Killed

    match step:
        case "first part":
            monkeypatch.setattr(PartWriter, "close", die)
        case "index":
            monkeypatch.setattr(pl.DataFrame, "write_parquet", die)
        case "flush":
            monkeypatch.setattr(store_module, "flush", die)
        case "exchange":
            monkeypatch.setattr(Path, "replace", die)
        case "clearing":
            monkeypatch.setattr(store_module, "_clear", die)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_process_killed_at_any_step_leaves_the_store_as_it_was_or_as_it_shall_be(
    add, tmp_path, step, is_new
):
    store = tmp_path / "store"
    if not is_new:
        add(*map(record, range(4)))
    before = {} if is_new else texts(store)
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Killed):
        die_at(step, patched)
        add(*map(record, range(2, 8)), replaces=True)
    if (store / "store.json").exists():
        after = {} if open_store(store).index.is_empty() else texts(store)
        assert len(after) in {len(before), 8 if not is_new else 6}
        assert before.items() <= after.items()
    done = add(*map(record, range(8)))  # and the next attempt goes well, and clears away what is left
    assert done.store.index.height == len(texts(store)) == 8
    parts = {f"part-{part:06d}.parquet" for part in done.store.index["part"].unique()}
    generation = f"{done.store.generation:06d}.parquet"
    assert files(store) == parts | {"store.json", f"index-{generation}", f"rejects-{generation}"}


def test_parts_without_a_living_row_are_cleared_away(add, tmp_path):
    store = tmp_path / "store"
    add(record(1), record(2))
    add(record(3))
    assert {name for name in files(store) if name.startswith("part")} == {
        "part-000000.parquet",
        "part-000001.parquet",
    }
    add(record(1, "other"), record(2, "other"), replaces=True)
    assert {name for name in files(store) if name.startswith("part")} == {
        "part-000001.parquet",
        "part-000002.parquet",
    }
    assert sorted(texts(store).values()) == ["first answer 3", "other answer 1", "other answer 2"]


def test_what_is_being_scored_from_stays_in_place(add, tmp_path):
    store = tmp_path / "store"
    add(record(1))
    with reading_store(store) as held:
        add(record(1, "other"), replaces=True)
        assert read_rows(store, held.index)["raw_response_text"].to_list() == ["first answer 1"]
    assert "part-000000.parquet" in files(store)
    add(record(2))
    assert "part-000000.parquet" not in files(store)


def test_only_one_process_adds_at_a_time(add, tmp_path):
    add(record(1))
    with (tmp_path / "store" / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process"):
            add(record(2))
    assert counts(add(record(2))) == (1, 1, 0, 0, 0)


def test_a_folder_of_other_things_is_no_store(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("you")
    with pytest.raises(OutputError, match="holds no store"), locked_store(tmp_path / "letters"):
        pass
    with pytest.raises(InputError, match="no store of runs here"):
        open_store(tmp_path / "letters")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("store.json", b"{", "damaged"),
        ("store.json", b'{"format": "other"}', "this version"),
        ("store.json", b"[]", "this version"),
        ("index-000002.parquet", b"PAR1", "damaged"),
        ("index-000002.parquet", None, "damaged"),
    ],
)
def test_a_damaged_store_is_told(add, tmp_path, name, content, words):
    add(record(1))
    path = tmp_path / "store" / name
    assert path.exists()
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        open_store(tmp_path / "store")


@pytest.mark.parametrize("content", [None, b"PAR1 and nothing else"])
def test_a_missing_or_damaged_part_is_told(add, tmp_path, content):
    index = add(record(1)).store.index
    part = tmp_path / "store" / "part-000000.parquet"
    if content is None:
        part.unlink()
    else:
        part.write_bytes(content)
    with pytest.raises(InputError, match="part of the store"):
        read_rows(tmp_path / "store", index)


def test_a_store_that_may_only_be_read_can_be_scored_from(add, tmp_path):
    add(record(1))
    store = tmp_path / "store"
    (store / ".readers").unlink()
    (store / ".readers").mkdir()  # cannot be opened for writing, also by root
    with reading_store(store) as held:
        assert held.index.height == 1


def test_the_size_of_a_run_is_that_of_its_texts(add):
    index = add(record(1, raw_response_text="x" * 50_000), record(2, raw_response_text=None)).store.index
    assert index["n_bytes"].to_list() == [50_000 + len("first 1") + len("{}"), len("first 2") + len("{}")]


def test_an_empty_file_gives_an_empty_store(add, tmp_path):
    assert counts(add()) == (0, 0, 0, 0, 0)
    assert open_store(tmp_path / "store").index.height == 0
