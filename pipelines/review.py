"""`grade review`: give people the items that matter most, and take their verdicts back."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from grade.errors import InputError
from grade.expressions.cells import tidy_cells
from grade.policy import Policy, read_policy
from grade.review import build_queue, describe_queue
from grade.schemas import RUN_KEY
from grade.settings import DEFAULTS, override
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.manifest import relative_path
from pipelines.places import Place, Remote, place_of
from pipelines.progress import Progress
from pipelines.redecide import read_judged_runs, redecide
from pipelines.score import ScoreRequest
from pipelines.shared_score import score_into
from pipelines.store import HEAD
from pipelines.table_files import allow_long_cells, scan_table
from pipelines.write import writing

_READ: Final = ("claim_checks", "run_scores", "verdicts", "decisions", "gold_claims", "tasks", "runs")
_CHECKED: Final = ("claim_id", "kind", "made", "status", "reason")
_ANSWERED: Final = ("key_findings", "limitations", "evidence_citations", "raw_response_text")
_INTEGERS: Final = frozenset("12345")
_KEPT: Final = ("model_id", "task_id", "dimension", "claim_id", "reasoning")
_PERSON: Final = "human:"


class Applied(NamedTuple):
    """What the person's verdicts changed.

    Attributes:
        results: The result folder.
        verdicts: The file of verdicts that was made and is now one of the result's inputs.
        n_verdicts: Verdicts in it.
        rejects: REJECTS of that file.
        decisions: DECISIONS, with previous_status.
        has_other_inputs: Runs or packs are not the ones that were scored before.
    """

    results: Place
    verdicts: Path
    n_verdicts: int
    rejects: pl.DataFrame
    decisions: pl.DataFrame
    has_other_inputs: bool


def write_queue(results: Place, out: Path, *, limit: int) -> int:
    """Write what a person should look at, as CSV or JSON lines by the ending of `out`.

    Args:
        results: The result folder.
        out: The file.
        limit: Most items.

    Returns:
        The number of items.

    Raises:
        InputError: The folder is no result, or `out` has another ending.
        OutputError: The file cannot be written.
    """
    _require_known_ending(out)
    result = open_result(results)
    require_tables(result, _READ)
    queue = _queue(result, limit)
    home = relative_path(str(results), out.parent)
    rows = queue.with_columns(results=pl.lit(home))
    with writing(out):
        if out.suffix == ".csv":
            tidy_cells(rows).write_csv(out)
        else:
            rows.write_ndjson(out)
    return queue.height


def apply_review(
    file: Path,
    *,
    results: Place | None,
    person: str | None,
    out: Path | None,
    progress: Progress,
) -> Applied:
    """Take a person's verdicts in, score anew with them, and note what they changed.

    Args:
        file: A queue with some scores filled in, CSV or JSON lines.
        results: The result folder; by default the one that the queue was made from.
        person: Whose verdicts these are; by default what each row's judge_id says.
        out: File for the verdicts; by default beside `file`. Keep it: it is an input now.
        progress: Where progress is told.

    Raises:
        InputError: The file holds no verdict, or does not say whose they are or of which result.
        OutputError: The result cannot be written.
    """
    _require_known_ending(file)
    rows = _read_rows(file)
    home = results or _home(file, rows)
    before = open_result(home)
    require_tables(before, ("decisions",))
    verdicts = [_verdict(row, place, person, file) for place, row in enumerate(rows, start=1) if _score(row)]
    if not verdicts:
        raise InputError(
            "no score is filled in",
            where=str(file),
            expected="pass, partial, fail or 1 to 5 in the column score of at least one row",
        )
    target = out or file.with_name(f"{file.stem}.verdicts.jsonl")
    with writing(target):
        target.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in verdicts), "utf-8")
    decisions = before.frame("decisions")
    request = _request(before, target)
    outcome = score_into(request, progress=progress)
    decided = redecide(home, request.policy, previous=decisions)
    own = outcome.rejects.filter(pl.col("file").str.ends_with(target.name))
    has_other = _digests(before.manifest) != _digests(open_result(home).manifest)
    return Applied(home, target, len(verdicts), own, decided.decisions, has_other)


def _queue(result: ResultFolder, limit: int) -> pl.DataFrame:
    settings = result.manifest.get("method", {}).get("settings", {})
    checks = scan_table(result.files["claim_checks"])
    chosen = build_queue(
        claim_checks=checks.select(*RUN_KEY, *_CHECKED).collect(),
        judged_runs=read_judged_runs(result),
        verdicts=result.frame("verdicts"),
        decisions=result.frame("decisions"),
        confidence_threshold=settings.get("confidence_threshold", DEFAULTS.confidence_threshold),
        limit=limit,
    )
    wanted = chosen.select(RUN_KEY).unique().lazy()
    runs = scan_table(result.files["runs"]).select(*RUN_KEY, *_ANSWERED)
    return describe_queue(
        chosen,
        claim_checks=checks.select(*RUN_KEY, "claim_id", "evidence")
        .join(wanted, on=list(RUN_KEY), how="semi")
        .collect(),
        runs=runs.join(wanted, on=list(RUN_KEY), how="semi").collect(),
        gold_claims=result.frame("gold_claims"),
        tasks=result.frame("tasks"),
    )


def _request(before: ResultFolder, verdicts: Path) -> ScoreRequest:
    """The request that made a result, with one more file of verdicts."""
    inputs, method = before.manifest["inputs"], before.manifest["method"]
    below = before.manifest.get("told_below")

    def paths(kind: str) -> list[str]:
        places = [place_of(path) for path in inputs[kind]["paths"]]
        return [
            str(one) if isinstance(one, Remote) else os.path.normpath(before.path / one) for one in places
        ]

    runs = paths("runs")
    _require_there([*paths("packs"), *runs, *paths("verdicts")], str(before.place), verdicts)
    store = place_of(runs[0]) if len(runs) == 1 and _is_store(place_of(runs[0])) else None
    judged = [path for path in paths("verdicts") if Path(path).resolve() != verdicts.resolve()]
    return ScoreRequest(
        runs=() if store else tuple(runs),
        store=store,
        packs=Path(paths("packs")[0]),
        verdicts=(*judged, str(verdicts)),
        out=before.place,
        settings=override(DEFAULTS, method["settings"]),
        policy=_policy(before.manifest),
        told_below=Path(os.path.normpath(before.path / below)) if below else None,
    )


def _require_there(paths: Iterable[str], results: str, verdicts: Path) -> None:
    gone = [path for path in paths if not _may_be_there(path)]
    if gone:
        raise InputError(
            "an input of the result is no longer where it was",
            where=results,
            got=", ".join(gone),
            hint=f"your verdicts are in {verdicts}: score again with --verdicts and this file",
        )


def _may_be_there(path: str) -> bool:
    return isinstance(place_of(path), Remote) or Path(path).exists() or glob.has_magic(path)


def _is_store(place: Place) -> bool:
    return isinstance(place, Remote) or (place / HEAD).is_file()


def _policy(manifest: Mapping[str, Any]) -> Policy:
    content = {name: value for name, value in manifest.get("policy", {}).items() if name != "sha256"}
    return read_policy(content, where="manifest.json")


def _digests(manifest: Mapping[str, Any]) -> list[str]:
    """The content of the files that were scored, wherever they lie."""
    return sorted(file["sha256"] for kind in ("packs", "runs") for file in manifest["inputs"][kind]["files"])


def _require_known_ending(path: Path) -> None:
    if path.suffix not in {".csv", ".jsonl"}:
        raise InputError(
            "a review queue is CSV or JSON lines", where=str(path), expected="a file named .csv or .jsonl"
        )


def _read_rows(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError("the review file cannot be read", where=str(file), got=str(fault)) from fault
    if file.suffix != ".csv":
        return list(_read_lines(text.split("\n"), file))
    allow_long_cells()
    try:
        return [dict(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
    except csv.Error as fault:
        raise InputError("the review file is no CSV", where=str(file), got=str(fault)) from fault


def _read_lines(lines: Iterable[str], file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as fault:
            raise InputError("a row is not JSON", where=f"{file}, line {number}", got=str(fault)) from fault
        if not isinstance(row, dict):
            raise InputError("a row is no object", where=f"{file}, line {number}", got=line[:80])
        yield row


def _home(file: Path, rows: list[dict[str, Any]]) -> Place:
    named = {row["results"] for row in rows if row.get("results")}
    if len(named) != 1:
        raise InputError(
            "the file does not say which result it reviews",
            where=str(file),
            got=", ".join(sorted(map(str, named))) or "no column results",
            hint="add --results FOLDER",
        )
    home = place_of(str(named.pop()))
    return home if isinstance(home, Remote) else Path(os.path.normpath(file.parent / home))


def _score(row: Mapping[str, Any]) -> str:
    value = row.get("score")
    return "" if value is None else str(value).strip()


def _verdict(row: Mapping[str, Any], place: int, person: str | None, file: Path) -> dict[str, Any]:
    """One verdict as verdict files have it; what is wrong with its values, their reader says."""
    judge = f"{_PERSON}{person.removeprefix(_PERSON)}" if person else str(row.get("judge_id") or "")
    if not judge.startswith(_PERSON) or judge == _PERSON:
        raise InputError(
            "the file does not say who judged",
            where=f"{file}, row {place}",
            got=judge or "nothing in judge_id",
            expected=f"{_PERSON}NAME",
            hint="add --name NAME",
        )
    said = _score(row)
    form = {"int_score": int(said)} if said in _INTEGERS else {"score": said.lower()}
    kept = {name: row[name] for name in _KEPT if row.get(name)}
    run = str(row.get("run_index", "")).strip()
    index = {"run_index": int(run) if run.isdecimal() else run}
    return {**kept, **index, "judge_id": judge, **form}


def changed_lines(applied: Applied) -> list[str]:
    """Return what the verdicts changed: one line for each decision that is another one now."""
    decisions = applied.decisions
    changed = decisions.filter(pl.col("status") != pl.col("previous_status"))
    lines = [
        f"{row['model_id']}{' ' + row['task_id'] if row['task_id'] else ''}:"
        f" {row['previous_status']} -> {row['status']} ({row['rule']}). {row['rationale']}"
        for row in changed.rows(named=True)
    ]
    return [*lines, f"{changed.height} of {decisions.height} decisions changed"]
