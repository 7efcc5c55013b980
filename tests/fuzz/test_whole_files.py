"""Any file is read to its end, whatever it holds, and what can be scored is scored within bounds."""

from __future__ import annotations

import dataclasses

import files
import fuzz_files
import pytest
import whole
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fuzzing import IS_LONG, examples

looked_at = settings(
    max_examples=examples(10),
    derandomize=not IS_LONG,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""A few fixed examples in `make test`, many new ones in `make fuzz`."""


@looked_at
@given(files.NAMES, files.written(files.RUNS))
def test_any_file_of_runs(name, data):
    whole.check_runs(name, data)


@looked_at
@given(files.parquet())
def test_any_parquet_file_of_runs(data):
    whole.check_runs("f.parquet", data)


@looked_at
@given(files.NAMES | st.just("f.parquet"), st.binary(max_size=200))
def test_any_bytes_at_all(name, data):
    whole.check_runs(name, data)


@looked_at
@given(files.VERDICT_NAMES, files.written(files.VERDICTS) | files.damaged(files.CSV))
def test_any_file_of_verdicts(name, data):
    whole.check_verdicts(name, data)


@looked_at
@given(files.TASK_FILES)
def test_any_file_of_tasks(data):
    whole.check_tasks(data)


def test_good_files_are_taken():
    """The checks themselves see what they are to see."""
    read = whole.check_runs("f.json", files._text(whole.RUN))
    assert (read.runs.height, read.rejects.height) == (1, 0)
    assert whole.catalogue().table.height == 1


def test_the_atheris_target_looks_at_every_kind_of_file(monkeypatch):
    """Its seeds are good files, and it sees a record that is lost."""
    seeds = fuzz_files.seeds()
    assert seeds.keys() == set(fuzz_files.NAMES)
    for data in seeds.values():
        fuzz_files.look_at(data)
    lost = dataclasses.replace(whole.check_runs("f.json", b""), n_records=7)
    monkeypatch.setattr(whole, "read_runs", lambda *_, **__: lost)
    with pytest.raises(AssertionError):
        fuzz_files.look_at(seeds["f.jsonl"])
