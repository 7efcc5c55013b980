"""A store on an object store: added to and scored from as one in a folder, with the same result."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread

import pytest
from small_inputs import run, write_lines
from store_inputs import bytes_of

from grade.errors import InputError, OutputError
from pipelines import places, shared_store
from pipelines.places import Remote, place_of
from pipelines.store import open_store

pytest.importorskip("moto")

STORE = "s3://lake/a/store"
SCORING = ("--packs", "packs", "--verdicts", "verdicts.jsonl", "--quiet")


def names(prefix: str) -> set[str]:
    from pyarrow import fs

    found = places._object_store().get_file_info(fs.FileSelector(prefix, recursive=True))
    return {one.path for one in found if one.is_file}


def test_a_result_is_the_same_bytes_from_a_folder_and_from_an_object_store(command, lake):
    done = command("ingest", "runs", "--store", STORE, "--quiet")
    assert done.stdout.splitlines()[-1].split() == ["runs", "in", "the", "store", "20"], done.stderr
    done = command("rescore", STORE, *SCORING, "--out", "there", "--full")
    assert done.code == 0, done.stderr
    assert bytes_of(lake / "out") == bytes_of(lake / "there")
    about = json.loads((lake / "there" / "manifest.json").read_text())["inputs"]["runs"]
    assert about["paths"] == about["given"] == [STORE]
    checked = command("verify", "there", "--quiet")
    assert checked.code == 0, checked


def test_runs_are_added_and_nothing_that_a_reader_uses_goes_away(command, lake):
    command("ingest", "runs", "--store", STORE, "--quiet")
    before, seen = names("lake"), open_store(place_of(STORE))
    new = [run(0), run(7), run(0, key_findings=["Something else."], task_id="T-2")]
    write_lines(lake / "more" / "new.jsonl", new)
    done = command("ingest", "more", "--store", STORE)
    assert done.code == 3, done.stderr
    told = dict(line.rsplit(None, 1) for line in done.stdout.splitlines())
    assert told == {
        "records read": "3",
        "added": "1",
        "replaced": "0",
        "duplicates": "1",
        "refused": "1",
        "runs in the store": "21",
    }
    assert before < names("lake")
    for part in seen.index["part"].unique():
        assert (Remote("lake/a/store") / f"part-{part:06d}.parquet").exists()


def test_of_two_additions_at_once_none_is_lost(lake, monkeypatch):
    """Both have written all but the head before either looks whether the store is still the same."""
    place, meet, really = place_of(STORE), Barrier(2, timeout=60), shared_store.holding_ticket
    shared_store.ingest_into(["runs"], place)
    refused: list[OutputError] = []

    @contextmanager
    def at_once(where: Remote):
        meet.wait()
        with really(where):
            yield

    def add(index: int) -> None:
        write_lines(lake / f"new-{index}.jsonl", [run(index)])
        try:
            shared_store.ingest_into([f"new-{index}.jsonl"], place)
        except OutputError as fault:
            refused.append(fault)

    with monkeypatch.context() as patched:
        patched.setattr(shared_store, "holding_ticket", at_once)
        adding = [Thread(target=add, args=(index,)) for index in (8, 9)]
        for thread in adding:
            thread.start()
        for thread in adding:
            thread.join()
    (told,) = refused
    assert told.what == "somebody else added to this store meanwhile"
    added = set(open_store(place).index["run_index"].to_list()) & {8, 9}
    assert len(added) == 1
    add(17 - added.pop())
    assert {8, 9} <= set(open_store(place).index["run_index"].to_list())
    assert open_store(place).index.height == 22


def test_what_is_not_there_is_told(command, lake):
    missing = command("rescore", "s3://lake/none", *SCORING, "--out", "new")
    assert missing.code == 2
    assert "there is no store of runs here\n  where: s3://lake/none" in missing.stderr
    refused = command("ingest", "runs", "--store", "s3://elsewhere/store")
    assert refused.code == 2
    assert "the object store refuses\n  where: s3://elsewhere/store" in refused.stderr
    assert command("rescore", "gs://lake/a", *SCORING, "--out", "new").code == 2
    assert not (lake / "new").exists()


def test_a_lost_part_is_named(command, lake):
    command("ingest", "runs", "--store", STORE, "--quiet")
    (part,) = (name for name in names("lake") if "/part-" in name)
    places._object_store().delete_file(part)
    done = command("rescore", STORE, *SCORING, "--out", "new")
    assert done.code == 2
    assert f"a part of the store cannot be read\n  where: s3://{part}" in done.stderr


@pytest.mark.parametrize("text", ["s3://", "gs://bucket/store", "https://host/store"])
def test_other_addresses_are_refused(text):
    with pytest.raises(InputError, match="s3://BUCKET/PREFIX"):
        place_of(text)


def test_a_path_is_a_path():
    assert place_of("runs/store") == Path("runs/store")
    assert str(place_of("S3://lake/a/")) == "s3://lake/a"
