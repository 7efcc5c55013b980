"""Readers of the files of other harnesses: what one record holds is said in `grade.imports`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grade.imports.answer import Answer, Skip
from grade.imports.eee import read_eee
from grade.imports.lm_eval import filter_of, model_of, read_lm_eval
from grade.imports.openai_batch import read_openai_batch
from grade.imports.promptfoo import read_promptfoo
from pipelines.imports.files import AnswerFile

_SAMPLES: Final = re.compile(r"samples_.+_(?P<time>\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl")


def read_openai_batch_file(file: AnswerFile) -> Iterator[Answer]:
    """Read the output or error file of a batch."""
    yield from file.read_each(read_openai_batch)


def read_promptfoo_file(file: AnswerFile) -> Iterator[Answer]:
    """Read a document of results, or results a line each."""
    yield from file.read_each(read_promptfoo)


def read_eee_file(file: AnswerFile) -> Iterator[Answer]:
    """Read instances; an answer that several metrics log again is taken once."""
    seen: dict[tuple[str, ...], str] = {}

    def read(record: Mapping[str, Any]) -> Iterable[Answer | Skip]:
        metric = str(record.get("evaluation_name"))
        for answer in read_eee(record):
            content = hashlib.sha256(answer.text.encode(errors="replace")).hexdigest()
            key = (str(answer.model_id), str(answer.task_id), str(answer.run_index), content)
            is_again = seen.setdefault(key, metric) != metric
            yield Skip("logged_again", f"for the metric {metric}") if is_again else answer

    yield from file.read_each(read)


def read_lm_eval_file(file: AnswerFile) -> Iterator[Answer]:
    """Read samples; the model is told by the results file beside them, else by the folder."""
    model = _model_beside(file.found.path)
    filters: dict[str, str] = {}

    def read(record: Mapping[str, Any]) -> Iterable[Answer | Skip]:
        answers = list(read_lm_eval(record))
        chosen = filters.setdefault(str(record.get("doc_id")), filter_of(record))
        if chosen != filter_of(record):
            raise Skip("logged_again", f"under the filter {filter_of(record)}")
        return [replace(answer, model_id=model) for answer in answers]

    yield from file.read_each(read)


def _model_beside(path: Path) -> str | None:
    named = _SAMPLES.match(path.name)
    if named is not None:
        try:
            results = json.loads((path.parent / f"results_{named['time']}.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            results = None
        if isinstance(results, Mapping) and (model := model_of(results)):
            return model
    folder = path.resolve().parent.name
    return folder.replace("__", "/") if "__" in folder else None
