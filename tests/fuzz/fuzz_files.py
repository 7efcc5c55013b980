"""An atheris target: files of runs, verdicts and tasks, mutated by what code they reach.

    python tests/fuzz/fuzz_files.py [SECONDS or FILE]

Needs `pip install atheris`, which has wheels for some systems only; without it this says so and ends
well, since the hypothesis tests beside it look at the same checks. The inputs that were found
worth keeping stay in .fuzz/; one that breaks a promise is left there as a file that begins with crash-, and
its name in place of the seconds plays it again.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / ".fuzz"
NAMES = ("f.jsonl", "f.json", "f.jsonl.gz", "f.parquet", "v.jsonl", "v.csv", "v.json", "tasks", "f.jsonl.zst")
"""What the first byte of an input chooses."""

SCORED = 16
"""One input of so many is scored, too, which takes far longer than reading it."""


def look_at(data: bytes) -> None:
    """Check one input: its first byte says what kind of file the others are."""
    import whole

    if not data:
        return
    name = NAMES[data[0] % len(NAMES)]
    is_scored = zlib.crc32(data) % SCORED == 0
    if name == "tasks":
        whole.check_tasks(data[1:], is_scored=is_scored)
    elif name.startswith("v"):
        whole.check_verdicts(name, data[1:], is_scored=is_scored)
    else:
        whole.check_runs(name, data[1:], is_scored=is_scored)


def seeds() -> dict[str, bytes]:
    """A good file of each kind to begin with."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import whole
    import zstandard

    table = io.BytesIO()
    key = {name: [whole.RUN[name]] for name in ("task_id", "model_id", "run_index", "key_findings")}
    pq.write_table(pa.table(key), table, compression="none")

    run = json.dumps(whole.RUN).encode()
    verdict = {"model_id": "m", "task_id": "T", "run_index": 0, "judge_id": "j", "claim_id": "insight:0"}
    row = b"model_id,task_id,run_index,judge_id,dimension,score\nm,T,0,j,evidence_linkage,pass\n"
    contents = {
        "f.jsonl": run + b"\n" + run + b"\n",
        "f.json": b"[" + run + b"]",
        "v.jsonl": json.dumps(verdict | {"int_score": 4}).encode(),
        "v.csv": row,
        "v.json": json.dumps([verdict | {"score": "pass", "findings": []}]).encode(),
        "tasks": json.dumps(whole.TASK).encode(),
        "f.jsonl.gz": gzip.compress(run),
        "f.jsonl.zst": zstandard.ZstdCompressor().compress(run),
        "f.parquet": table.getvalue(),
    }
    return {name: bytes([NAMES.index(name)]) + text for name, text in contents.items()}


def main() -> None:
    """Fuzz for some seconds."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]
    asked = sys.argv[1] if len(sys.argv) > 1 else "60"
    if not asked.isdecimal():
        look_at(Path(asked).read_bytes())
        print(f"{asked} breaks no promise")
        return
    try:
        import atheris
    except ImportError:
        print(
            "SKIPPED: atheris is not installed (pip install atheris); nothing was fuzzed by it",
            file=sys.stderr,
        )
        return
    with atheris.instrument_imports(include=["grade.ingest", "pipelines.reading", "pipelines.sources"]):
        import whole  # noqa: F401 - imported here to be watched
    CORPUS.mkdir(exist_ok=True)
    for name, data in seeds().items():
        (CORPUS / f"seed-{name}").write_bytes(data)
    options = [
        f"-max_total_time={asked}",
        "-max_len=4000",
        "-rss_limit_mb=4000",
        f"-artifact_prefix={CORPUS}/",
    ]
    atheris.Setup([sys.argv[0], *options, str(CORPUS)], look_at)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
