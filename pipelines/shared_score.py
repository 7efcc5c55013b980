"""Score into any place; into one on an object store by way of a folder of this machine.

The tables of the earlier result come here first, so that what has not changed is taken from them
as it is from a folder. What is finished when the user stops the work is not kept.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from grade.errors import InputError
from grade.schemas import GROUP_TABLES
from pipelines.places import Remote
from pipelines.progress import Progress
from pipelines.score import ScoreOutcome, ScoreRequest, score
from pipelines.shared_results import Current, bring, publishing
from pipelines.write import MANIFEST

_TAKEN_FROM = (MANIFEST, *(f"{table.name}.parquet" for table in GROUP_TABLES))


def score_into(request: ScoreRequest, *, progress: Progress) -> ScoreOutcome:
    """Score runs and write a result, wherever it shall stand; see `pipelines.score.score`.

    Raises:
        InputError: An input that stops everything is wrong.
        OutputError: The result cannot be written.
    """
    if isinstance(request.out, Path):
        return score(request, progress=progress)
    with publishing(request.out, progress=progress) as (before, folder):
        if request.reuses and before.version:
            _bring_earlier(request.out, before, folder)
        return score(replace(request, made_at=folder), progress=progress)


def _bring_earlier(place: Remote, before: Current, folder: Path) -> None:
    """Have what rows are taken from; where it is damaged, as with a folder, everything is scored afresh."""
    try:
        bring(place, before, _TAKEN_FROM, folder)
    except InputError:
        shutil.rmtree(folder)
        folder.mkdir()
