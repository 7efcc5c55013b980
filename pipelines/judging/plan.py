"""`grade judge plan`: the questions that are still open, written to a file."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl
import pyarrow.parquet as pq
from pyarrow import ArrowInvalid

from grade.errors import InputError
from grade.judging.questions import drop_answered, write_questions
from grade.judging.tables import QUESTIONS
from grade.schemas import RUN_KEY
from pipelines.judging.store import read_store
from pipelines.judging.subject import Batch, Subject, open_subject
from pipelines.parquet import TableFile
from pipelines.places import Place
from pipelines.progress import Progress
from pipelines.write import writing

_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What to ask about.

    Attributes:
        results: The result folder.
        out: The file for the questions.
        packs: The tasks; None takes those that the manifest names.
        store: Verdicts that answer questions already, beside those of the result.
        with_claims: Ask about claims and facts too, not only about dimensions.
        again: Also ask what a verdict answers already, for a second judge.
        sample: Ask about this many runs only.
        n_repeats: How often each question is put.
    """

    results: Place
    out: Path
    packs: Path | None = None
    store: Path | None = None
    with_claims: bool = True
    again: bool = False
    sample: int | None = None
    n_repeats: int = 1


def plan(request: PlanRequest, *, progress: Progress) -> pl.DataFrame:
    """Write the open questions and say how many there are.

    Returns:
        One row per kind: kind, questions (rows), distinct (asked once each), tokens (estimated,
        of the distinct ones).

    Raises:
        InputError: The result, its packs or the store cannot be read.
        OutputError: The file cannot be written.
    """
    subject = open_subject(request.results, packs=request.packs)
    answered = _answered(request, subject)
    chosen = _sampled(subject.result.frame("runs", RUN_KEY), request.sample)
    counts = [_count(QUESTIONS.empty())]
    with writing(request.out):
        request.out.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=request.out.parent, prefix=".grade-plan-") as folder,
            progress.step("planning", unit="runs", total=chosen.height) as advance,
        ):
            file = TableFile(Path(folder), QUESTIONS)
            for batch in subject.batches():
                questions = _questions(request, subject, batch, answered, chosen)
                file.append(questions)
                counts.append(_count(questions))
                advance(batch.runs.height)
            file.close()
            file.path.replace(request.out)
    return _summary(pl.concat(counts))


def read_plan(path: Path) -> pq.ParquetFile:
    """Open a plan.

    Raises:
        InputError: The file is no plan.
    """
    try:
        file = pq.ParquetFile(path)
    except (OSError, ArrowInvalid) as fault:
        raise InputError("the plan cannot be read", where=str(path), got=str(fault)) from fault
    if file.schema_arrow.names != list(QUESTIONS.columns):
        raise InputError(
            "the file is no plan",
            where=str(path),
            got="columns " + ", ".join(file.schema_arrow.names[:6]),
            expected="a file that `grade judge plan` of this version wrote",
        )
    return file


def plan_columns(path: Path, columns: list[str]) -> pl.DataFrame:
    """Read some columns of a plan."""
    return pl.from_arrow(read_plan(path).read(columns=columns))  # type: ignore[return-value]


def plan_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the questions of a plan one by one, a few at a time in memory."""
    for batch in read_plan(path).iter_batches(batch_size=_ROWS):
        yield from batch.to_pylist()


def replace_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name[:100]}-{secrets.token_hex(6)}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_text(text, encoding="utf-8")
            os.replace(draft, path)  # noqa: PTH105 - one call that also replaces
        finally:
            draft.unlink(missing_ok=True)


def _answered(request: PlanRequest, subject: Subject) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What is answered: questions of the result by key, and questions of the store by content."""
    verdicts = subject.result.frame("verdicts")
    columns = ["question_key", "repeat", "reply_state"]
    if request.again:
        return verdicts.clear(), pl.DataFrame(schema={"question_key": pl.String, "repeat": pl.Int64})
    stored = read_store(request.store, columns) if request.store is not None else read_store(None, columns)
    scored = stored.filter(pl.col("reply_state") != "unscored")
    return verdicts, scored.select("question_key", "repeat").unique()


def _questions(
    request: PlanRequest,
    subject: Subject,
    batch: Batch,
    answered: tuple[pl.DataFrame, pl.DataFrame],
    chosen: pl.DataFrame,
) -> pl.DataFrame:
    by_key, by_content = answered
    wanted = batch.needed.join(chosen, on=RUN_KEY, how="semi", maintain_order="left")
    if not request.with_claims:
        wanted = wanted.filter(pl.col("claim_id").is_null())
    wanted = drop_answered(wanted, by_key)
    written = write_questions(
        wanted, batch.answers, subject.items, subject.templates.values(), n_repeats=request.n_repeats
    )
    return written.join(by_content, on=["question_key", "repeat"], how="anti", maintain_order="left")


def _sampled(runs: pl.DataFrame, size: int | None) -> pl.DataFrame:
    """The runs to ask about: all, or a sample that is the same each time and favours no model."""
    if size is None or size >= runs.height:
        return runs
    drawn = sorted(runs.rows(), key=lambda key: hashlib.sha256(repr(key).encode()).digest())
    return pl.DataFrame(drawn[:size], schema=runs.schema, orient="row")


def _count(questions: pl.DataFrame) -> pl.DataFrame:
    return questions.select("kind", "question_key", "repeat", "estimated_tokens")


def _summary(counts: pl.DataFrame) -> pl.DataFrame:
    distinct = counts.unique(["question_key", "repeat"])
    told = counts.group_by("kind").agg(questions=pl.len())
    asked = distinct.group_by("kind").agg(distinct=pl.len(), tokens=pl.col("estimated_tokens").sum())
    return told.join(asked, on="kind").sort("kind")
