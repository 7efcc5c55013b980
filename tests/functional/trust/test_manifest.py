"""The manifest holds the hash of everything that a result rests on, and each moves with what it is of."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from small_inputs import task, write_lines

from pipelines.fingerprints import code_digest


def manifest(folder: Path, out: str = "out") -> dict:
    return json.loads((folder / out / "manifest.json").read_text())


def hashes(told: dict) -> dict[str, str]:
    return {
        **{kind: told["inputs"][kind]["sha256"] for kind in ("packs", "runs", "verdicts")},
        "settings": told["method"]["sha256"],
        "policy": told["policy"]["sha256"],
        "code": told["code_sha256"],
    }


def test_every_input_is_named_with_its_hash_size_and_way(scored):
    folder, _ = scored
    told = manifest(folder)
    for kind, names in (
        ("packs", ["packs/small/tasks.jsonl"]),
        ("runs", ["runs/runs.jsonl"]),
        ("verdicts", ["verdicts.jsonl"]),
    ):
        files = told["inputs"][kind]["files"]
        assert [one["name"] for one in files] == names
        for one in files:
            data = (folder / one["name"]).read_bytes()
            assert (one["sha256"], one["bytes"]) == (hashlib.sha256(data).hexdigest(), len(data))
            assert (folder / "out" / one["path"]).samefile(folder / one["name"])
            assert not Path(one["path"]).is_absolute()
    assert told["code_sha256"] == code_digest()
    assert {"python", "polars", "duckdb"} <= told["versions"].keys()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["verdicts", "settings"])
def test_a_hash_changes_with_what_it_is_of_and_with_nothing_else(scored, command, tmp_path, what):
    folder, _ = scored
    changed = tmp_path / "changed"
    for name in ("packs/small/tasks.jsonl", "runs/runs.jsonl", "verdicts.jsonl"):
        lines = (folder / name).read_text().splitlines()
        is_other = what == name.split("/")[0].removesuffix(".jsonl")
        more = [task("T-3")] if name.startswith("packs") else [lines[0]]
        write_lines(changed / name, [*lines, *(more if is_other else [])])
    text = "confidence_threshold = 0.6\n" if what == "settings" else ""
    (changed / "s.toml").write_text(text + "batch_runs = 7\n")
    arguments = ("runs", "--packs", "packs", "--verdicts", "verdicts.jsonl", "--settings", "s.toml")
    assert command(changed, "score", *arguments, "--out", "out").returncode == 0
    before, after = hashes(manifest(folder)), hashes(manifest(changed))
    assert {name for name in before if before[name] != after[name]} == {what}
