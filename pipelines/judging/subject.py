"""A result folder as something to judge: its runs as answers, and the questions about them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from grade.db import Database
from grade.errors import InputError
from grade.judging.answers import write_answers
from grade.judging.items import list_items
from grade.judging.questions import keep_open, list_questions
from grade.judging.templates import Template
from grade.schemas import RUN_KEY
from pipelines.batches import cut_batches, of_groups
from pipelines.catalogue import load_catalogue
from pipelines.desk.folder import ResultFolder, open_result, require_tables
from pipelines.judging.assets import load_templates
from pipelines.places import Place

_TABLES: Final = ("runs", "fact_checks", "claim_checks", "run_scores", "verdicts")
_BATCH_RUNS: Final = 1_000
_EMPTY: Final = "empty_response"


class Batch(NamedTuple):
    """The questions about some runs.

    Attributes:
        runs: RUNS.
        answers: The answers of the runs that have content; from `write_answers`.
        questions: Every question about them; from `list_questions`.
        needed: Those that matching leaves open; from `keep_open`.
    """

    runs: pl.DataFrame
    answers: pl.DataFrame
    questions: pl.DataFrame
    needed: pl.DataFrame


@dataclass(frozen=True)
class Subject:
    """A result folder with the tasks behind it.

    Attributes:
        result: The folder.
        items: JUDGE_ITEMS of its tasks.
        templates: The prompts in use, by what they ask about.
    """

    result: ResultFolder
    items: pl.DataFrame
    templates: dict[str, Template]

    def batches(self) -> Iterator[Batch]:
        """Yield the questions, some runs at a time, in the order of the runs' key."""
        claims, facts = self.result.frame("claim_checks"), self.result.frame("fact_checks")
        empty = _empty_runs(self.result)
        with Database() as database:
            for runs in cut_batches(self.result.frame("runs"), batch_runs=_BATCH_RUNS):
                told = runs.join(empty, on=RUN_KEY, how="anti", maintain_order="left")
                answers = write_answers(told)
                questions = list_questions(answers, self.items, database=database)
                needed = keep_open(questions, of_groups(claims, runs), of_groups(facts, runs))
                yield Batch(runs, answers, questions, needed)


def open_subject(results: Place, *, packs: Path | None = None) -> Subject:
    """Open a result folder for judging.

    Args:
        results: The folder.
        packs: The tasks that were scored; None takes the folder that the manifest names.

    Raises:
        InputError: The folder or its packs cannot be read, or the packs are others.
    """
    result = open_result(results)
    require_tables(result, _TABLES)
    place = packs or packs_of(result)
    catalogue = load_catalogue(place)
    _require_same(result, {entry.sha256 for entry in catalogue.inputs}, place)
    templates = load_templates()
    return Subject(result, list_items(catalogue.tasks, templates), templates)


def _empty_runs(result: ResultFolder) -> pl.DataFrame:
    """The runs without content: nothing is asked about them."""
    scores = result.frame("run_scores", [*RUN_KEY, "flags"])
    return scores.filter(pl.col("flags").list.contains(_EMPTY)).select(RUN_KEY).unique()


def packs_of(result: ResultFolder) -> Path:
    """Return the packs that a result was scored with, by its manifest.

    Raises:
        InputError: The manifest names none, or they are no longer there.
    """
    paths = result.manifest.get("inputs", {}).get("packs", {}).get("paths", [])
    if not paths:
        raise InputError(
            "the result does not say which packs it was scored with",
            where=str(result.place),
            hint="name them with --packs DIR",
        )
    place = Path(os.path.normpath(result.path.absolute() / paths[0]))
    if not place.exists():
        raise InputError(
            "the packs that the result was scored with are no longer there",
            where=str(place),
            hint="say where they are now with --packs DIR",
        )
    return place


def _require_same(result: ResultFolder, found: set[str], place: Path) -> None:
    """Claims are told by their place in a task, so other tasks would put wrong questions."""
    scored = result.manifest.get("inputs", {}).get("packs", {}).get("files", [])
    tasks = {entry["sha256"] for entry in scored if str(entry["name"]).endswith(".jsonl")}
    if not tasks <= found:
        raise InputError(
            "these packs are not the ones that the result was scored with",
            where=str(place),
            hint="score again with these packs, or name the old ones with --packs DIR",
        )
