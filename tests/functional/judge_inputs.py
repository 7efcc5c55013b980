"""Tasks, runs and labels small enough to judge by hand, and the commands on them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from small_inputs import run, task, write_lines

from grade.settings import DEFAULTS
from pipelines.judging.endpoint import Endpoint, EndpointSettings
from pipelines.judging.plan import PlanRequest, plan
from pipelines.judging.runner import JudgeOutcome, JudgeRequest, run_judge
from pipelines.progress import Silent
from pipelines.score import ScoreRequest, score

ROOT = Path(__file__).parents[2]
PROGRAM = """
from pipelines.cli import app, main
from pipelines.commands.judge import app as judge
app.add_typer(judge, name="judge")
main()
"""
KEY = "sk-very-secret-4711"


def judge_tasks() -> list[dict]:
    one = task("T-1", rubric=_rubric())
    counted = {"fact_id": "F2", "claim": "Nobody left the program early.", "source_files": ["students.csv"]}
    one["gold_facts"] = [*one["gold_facts"], counted]
    return [one, task("T-2", rubric=_rubric(), track=4, user_prompt="Who is on the roll?")]


def _rubric() -> dict:
    rubric = task()["rubric"]
    rubric["evidence_linkage"]["guidance"] = "Name file and column."
    return rubric


def judge_runs(models: tuple[str, ...] = ("acme/brisk-1", "acme/calm-2"), n_runs: int = 3) -> list[dict]:
    """Answers that say things in other words, each different, so that matching settles little."""
    return [
        run(
            index,
            model,
            task_id,
            key_findings=[
                f"By count number {index} of {model[-1]}, 135 students are on the roll.",
                "More children were enrolled once spring had come.",
            ],
            limitations=["Those who withdrew were left out."],
        )
        for model in models
        for task_id in ("T-1", "T-2")
        for index in range(n_runs)
    ]


def write_judge_inputs(folder: Path, runs: list[dict] | None = None, tasks: list[dict] | None = None) -> Path:
    write_lines(folder / "packs" / "small" / "tasks.jsonl", tasks or judge_tasks())
    write_lines(folder / "runs" / "runs.jsonl", judge_runs() if runs is None else runs)
    return folder


def score_folder(folder: Path, out: str = "out", *verdicts: Path) -> Path:
    shutil.rmtree(folder / out, ignore_errors=True)
    request = ScoreRequest(
        runs=(str(folder / "runs"),),
        packs=folder / "packs",
        verdicts=tuple(map(str, verdicts)),
        out=folder / out,
        settings=DEFAULTS,
    )
    score(request, progress=Silent())
    return folder / out


def make_plan(folder: Path, results: str = "out", **options: object) -> Path:
    out = folder / "plan.parquet"
    plan(PlanRequest(results=folder / results, out=out, **options), progress=Silent())
    return out


def ask(folder: Path, url: str, **options: object) -> JudgeOutcome:
    """Ask within this process, quickly: waits between tries are cut short by the tests themselves."""
    settings = EndpointSettings(base_url=url, timeout_s=float(options.pop("timeout_s", 30.0)))
    request = JudgeRequest(
        plan=folder / "plan.parquet",
        store=folder / "store",
        model=str(options.pop("model", "judge-1")),
        endpoint=settings,
        **options,
    )
    return run_judge(request, progress=Silent(), endpoint=Endpoint(settings))


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *map(str, arguments)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100", "OPENAI_API_KEY": KEY}


def grade(folder: Path, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
