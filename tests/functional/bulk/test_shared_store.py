"""A store on an object store: added to and scored from as one in a folder, with the same result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from object_store import serving
from small_inputs import run, write_lines
from store_inputs import bytes_of

from grade.errors import InputError, OutputError
from pipelines import places, shared_store
from pipelines.places import Remote, place_of
from pipelines.store import open_store

pytest.importorskip("moto")

STORE = "s3://lake/a/store"
SCORING = ("--packs", "packs", "--verdicts", "verdicts.jsonl")


@pytest.fixture
def lake(inputs, monkeypatch):
    """The working folder with small inputs, and an empty object store."""
    monkeypatch.chdir(inputs)
    with serving() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        places._object_store.cache_clear()
        yield inputs
    places._object_store.cache_clear()


def names(prefix: str) -> set[str]:
    from pyarrow import fs

    found = places._object_store().get_file_info(fs.FileSelector(prefix, recursive=True))
    return {one.path for one in found if one.is_file}


def test_a_result_is_the_same_bytes_from_a_folder_and_from_an_object_store(grade, lake):
    for store in ("store", STORE):
        done = grade("ingest", "runs", "--store", store)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].split() == ["runs", "in", "the", "store", "20"]
    for store, out in (("store", "here"), (STORE, "there")):
        done = grade("rescore", store, *SCORING, "--out", out)
        assert done.returncode == 0, done.stderr
    assert bytes_of(lake / "here") == bytes_of(lake / "there")
    about = json.loads((lake / "there" / "manifest.json").read_text())["inputs"]["runs"]
    assert about["paths"] == about["given"] == [STORE]
    checked = grade("verify", "there")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_runs_are_added_and_nothing_that_a_reader_uses_goes_away(grade, lake):
    grade("ingest", "runs", "--store", STORE)
    before, seen = names("lake"), open_store(place_of(STORE))
    new = [run(0), run(7), run(0, key_findings=["Something else."], task_id="T-2")]
    write_lines(lake / "more" / "new.jsonl", new)
    done = grade("ingest", "more", "--store", STORE)
    assert done.returncode == 3, done.stderr
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
    done = grade("rescore", STORE, *SCORING, "--out", "out", "--max-rejects", "1")
    assert "scored 21 runs" in done.stderr


def test_whoever_adds_while_somebody_else_added_is_told_and_changes_nothing(lake, monkeypatch):
    place = place_of(STORE)
    shared_store.ingest_into(["runs"], place)
    write_lines(lake / "late.jsonl", [run(8)])
    write_lines(lake / "early.jsonl", [run(9)])
    inner = shared_store.ingest

    def slowly(*arguments, **options):
        monkeypatch.setattr(shared_store, "ingest", inner)
        shared_store.ingest_into(["early.jsonl"], place)
        return inner(*arguments, **options)

    monkeypatch.setattr(shared_store, "ingest", slowly)
    with pytest.raises(OutputError, match="somebody else added"):
        shared_store.ingest_into(["late.jsonl"], place)
    assert open_store(place).index["run_index"].max() == 9
    assert open_store(place).index.height == 21
    assert shared_store.ingest_into(["late.jsonl"], place).store.index.height == 22


def test_what_is_not_there_is_told(grade, lake):
    missing = grade("rescore", "s3://lake/none", *SCORING, "--out", "out")
    assert missing.returncode == 2
    assert "there is no store of runs here\n  where: s3://lake/none" in missing.stderr
    assert "Traceback" not in missing.stderr
    refused = grade("ingest", "runs", "--store", "s3://elsewhere/store")
    assert refused.returncode == 2
    assert "the object store refuses\n  where: s3://elsewhere/store" in refused.stderr
    assert grade("rescore", "gs://lake/a", *SCORING, "--out", "out").returncode == 2
    assert not (lake / "out").exists()


def test_a_lost_part_is_named(grade, lake):
    grade("ingest", "runs", "--store", STORE)
    (part,) = (name for name in names("lake") if "/part-" in name)
    places._object_store().delete_file(part)
    done = grade("rescore", STORE, *SCORING, "--out", "out")
    assert done.returncode == 2
    assert f"a part of the store cannot be read\n  where: s3://{part}" in done.stderr


@pytest.mark.parametrize("text", ["s3://", "gs://bucket/store", "https://host/store"])
def test_other_addresses_are_refused(text):
    with pytest.raises(InputError, match="s3://BUCKET/PREFIX"):
        place_of(text)


def test_a_path_is_a_path():
    assert place_of("runs/store") == Path("runs/store")
    assert str(place_of("S3://lake/a/")) == "s3://lake/a"
