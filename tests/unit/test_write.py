from __future__ import annotations

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from grade.errors import OutputError
from pipelines import write
from pipelines.write import MANIFEST, MARKER, exchange, replaced_folder, require_replaceable


def fill(folder: Path, text: str) -> None:
    (folder / "results").mkdir()
    (folder / "results" / "model.json").write_text(text)
    (folder / "table.parquet").write_text(text)
    outputs = ["results/model.json", "table.parquet"]
    (folder / MANIFEST).write_text(json.dumps({"format": MARKER, "outputs": outputs}))


def make(out: Path, text: str) -> None:
    with replaced_folder(out) as folder:
        fill(folder, text)


def content(out: Path) -> set[str]:
    return {(out / "table.parquet").read_text(), (out / "results" / "model.json").read_text()}


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


def test_a_new_folder_is_made_with_its_parents_and_nothing_is_left_beside_it(tmp_path):
    out = tmp_path / "deep" / "out"
    make(out, "one")
    assert content(out) == {"one"}
    assert beside(out) == []


def test_an_earlier_result_is_replaced_whole(tmp_path):
    out = tmp_path / "out"
    make(out, "one")
    make(out, "two")
    assert content(out) == {"two"}
    assert beside(out) == []


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    make(tmp_path / "out", "one")
    assert content(tmp_path / "out") == {"one"}


def test_a_failure_leaves_the_earlier_result_and_no_trace(tmp_path):
    out = tmp_path / "out"
    make(out, "one")

    def fail() -> None:
        with replaced_folder(out) as folder:
            fill(folder, "two")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert content(out) == {"one"}
    assert beside(out) == []


@pytest.mark.parametrize("name", ["notes.txt", "results/mine.json"])
def test_a_folder_with_anything_else_is_refused_by_name(tmp_path, name):
    out = tmp_path / "out"
    make(out, "one")
    (out / name).write_text("mine")
    with pytest.raises(OutputError) as fault:
        make(out, "two")
    assert name in fault.value.got
    assert fault.value.where == str(out)
    assert content(out) == {"one"}


def test_a_folder_of_another_program_is_refused_even_with_a_manifest(tmp_path):
    (tmp_path / MANIFEST).write_text('{"format": "other", "outputs": []}')
    with pytest.raises(OutputError, match="not an earlier result"):
        make(tmp_path, "one")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": "grade-result"}', '{"format": "grade-result", "outputs": 3}']
)
def test_a_broken_manifest_gives_no_permission(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(OutputError):
        require_replaceable(tmp_path)


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="is a file"):
        make(tmp_path / "out", "one")


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    make(tmp_path / "real", "one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    make(tmp_path / "link", "two")
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "real") == {"two"}


def test_long_names_work_up_to_the_limit_of_the_file_system(tmp_path):
    make(tmp_path / ("n" * 255), "one")
    make(tmp_path / ("é" * 127), "one")
    with pytest.raises(OutputError):
        make(tmp_path / ("n" * 256), "one")


def test_a_second_writer_is_refused_while_the_first_works(tmp_path):
    out = tmp_path / "out"
    with replaced_folder(out) as folder:
        with pytest.raises(OutputError, match="another process"):
            make(out, "two")
        fill(folder, "one")
    assert content(out) == {"one"}
    make(out, "three")


def _repeat(out: Path, text: str, times: int) -> None:
    for _ in range(times):
        try:
            make(out, text)
        except OutputError as fault:
            if "another process" not in fault.what:
                raise


def test_many_writers_never_mix(tmp_path):
    out = tmp_path / "out"
    make(out, "start")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_repeat, args=(out, f"writer {n}", 40)) for n in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        opened = os.open(out, os.O_RDONLY)  # one folder, whatever takes its place meanwhile
        try:
            seen = {
                Path(f"/proc/self/fd/{opened}/{name}").read_text()
                for name in ("table.parquet", "results/model.json")
            }
        except FileNotFoundError:  # it was replaced and removed while we read
            seen = set()
        finally:
            os.close(opened)
        assert len(seen) <= 1
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert len(content(out)) == 1
    assert beside(out) == []


ENDLESS = """
import sys
from pathlib import Path
from test_write import fill
from pipelines.write import replaced_folder
print("ready", flush=True)
n = 0
while True:
    n += 1
    with replaced_folder(Path(sys.argv[1])) as folder:
        fill(folder, f"version {n} " * 20_000)
"""


@pytest.mark.slow
def test_kill_at_any_moment_leaves_one_whole_result(tmp_path):
    out = tmp_path / "out"
    make(out, "start")
    script = tmp_path / "endless.py"
    script.write_text(textwrap.dedent(ENDLESS))
    paths = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    for n in range(12):
        process = subprocess.Popen(
            [sys.executable, str(script), str(out)], env=environment, stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.003 * n)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert len(content(out)) == 1
        require_replaceable(out)
    make(out, "last")
    assert content(out) == {"last"}
    assert [name for name in beside(out) if name.startswith(".grade")] == []


def test_the_step_is_one_exchange_on_this_system(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system has no exchange")
    assert (tmp_path / "one" / "other").exists()
    assert (tmp_path / "other" / "one").exists()


def test_without_an_exchange_three_renames_do(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "exchange", lambda *_: False)
    out = tmp_path / "out"
    make(out, "one")
    make(out, "two")
    assert content(out) == {"two"}
    assert beside(out) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "may write"), (errno.EROFS, "read-only")],
)
def test_a_refusal_of_the_disk_is_an_error_that_names_the_path(tmp_path, code, words):
    out = tmp_path / "out"
    make(out, "one")
    with pytest.raises(OutputError) as fault, replaced_folder(out) as folder:
        raise OSError(code, os.strerror(code), str(folder / "table.parquet"))
    assert fault.value.where.endswith("table.parquet")
    assert words in fault.value.hint
    assert content(out) == {"one"}
    assert beside(out) == []


def test_a_real_full_disk(tmp_path):
    out = tmp_path / "out"
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")

    def overflow() -> None:
        with replaced_folder(out) as folder:
            (folder / "full").symlink_to("/dev/full")
            (folder / "full").write_text("x" * 100_000)

    with pytest.raises(OutputError) as fault:
        overflow()
    assert "No space left" in fault.value.got
    assert not out.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_ours_names_itself(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written"):
        make(tmp_path / "out", "one")
