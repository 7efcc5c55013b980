"""`grade judge batch`: the questions of a plan as a provider's batch files."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grade.judging.keys import Judge
from pipelines.judging.asking import first_messages
from pipelines.judging.assets import load_families
from pipelines.judging.endpoint import Messages, request_body
from pipelines.judging.plan import plan_columns, plan_rows
from pipelines.judging.runner import JudgeRequest, Relations, require_unrelated
from pipelines.judging.store import Store
from pipelines.write import writing

MOST_REQUESTS: Final = 50_000
"""Requests that providers take in one file."""

MOST_BYTES: Final = 190_000_000
"""Bytes that providers take in one file, with a little to spare."""

REPAIR: Final = "-repair"
"""What the id of a request ends in that asks again after a reply that could not be read."""

_URL: Final = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Requests:
    """What was written.

    Attributes:
        files: The files, in order; none without requests.
        n_requests: Requests in them.
        n_before: Questions that the store answers already.
        n_skipped: Questions left out because they concern the judge's own family.
    """

    files: tuple[Path, ...]
    n_requests: int
    n_before: int
    n_skipped: int


def write_batch(request: JudgeRequest, out: Path) -> Requests:
    """Write the questions that no stored verdict of this judge answers as batch files.

    Args:
        request: Whom to ask what; nothing is asked here.
        out: The file; what does not fit goes into files with -002 and so on before the ending.

    Raises:
        SameFamilyError: The judge is related to a model of the plan.
        OutputError: A file cannot be written.
    """
    judge = request.judge
    keys = plan_columns(request.plan, ["model_id", "question_key"])
    relations = Relations(keys, load_families(request.families))
    require_unrelated(request, relations)
    skipped = relations.questions(request.model) if request.skip_same_family else frozenset()
    seen: set[str] = set()
    n_before = n_skipped = 0
    chosen: list[bytes] = []
    with Store(request.store, retry_unscored=request.retry_unscored) as store:
        store.note_judge(judge)
        for question in plan_rows(request.plan):
            key = judge.verdict_key(question["question_key"], question["repeat"])
            if key in seen:
                continue
            seen.add(key)
            if question["question_key"] in skipped:
                n_skipped += 1
            elif store.is_answered(key):
                n_before += 1
            else:
                messages = first_messages(question)
                chosen.append(batch_line(key, judge, messages, question, with_schema=request.with_schema))
    return Requests(write_lines(chosen, out), len(chosen), n_before, n_skipped)


def batch_line(
    custom_id: str, judge: Judge, messages: Messages, question: Mapping[str, Any], *, with_schema: bool
) -> bytes:
    """Return one request of a batch file."""
    is_claim = question["kind"] != "dimension"
    parameters = json.loads(judge.parameters)
    body = request_body(judge.model, messages, parameters, is_claim=is_claim, with_schema=with_schema)
    line = {"custom_id": custom_id, "method": "POST", "url": _URL, "body": body}
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def write_lines(lines: Iterable[bytes], out: Path) -> tuple[Path, ...]:
    """Write the requests into as many files as they need, each whole or not at all.

    Raises:
        OutputError: A file cannot be written.
    """
    files = []
    for number, part in enumerate(_parts(lines), start=1):
        path = out if number == 1 else out.with_name(f"{out.stem}-{number:03}{out.suffix}")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{secrets.token_hex(8)}.draft")
            draft.write_bytes(b"".join(part))
            draft.replace(path)
        files.append(path)
    return tuple(files)


def _parts(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for line in lines:
        if part and (len(part) == MOST_REQUESTS or size + len(line) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part
