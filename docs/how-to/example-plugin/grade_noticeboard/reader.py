"""Read a box of note cards: answers one after the other in a text file, each under a line of its own.

Such a line is `=== MODEL | TASK | RUN`; what follows, up to the next one, is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grade.imports.answer import Answer
from pipelines.imports.files import AnswerFile

_CARD = re.compile(r"^=== (?P<model>.+?) \| (?P<task>.+?) \| (?P<run>\d{1,6})$")


def read_notecards(file: AnswerFile) -> Iterator[Answer]:
    """Give the answers of a file, in its order; a card whose first line is none is told and left out."""
    text = file.text()
    if text is None:  # the file was told as unreadable
        return
    line = 1
    for card in re.split(r"^(?==== )", text, flags=re.MULTILINE):
        heading, _, answer = card.partition("\n")
        found = _CARD.match(heading.rstrip("\r"))
        if found is not None:
            yield Answer(
                text=answer,
                model_id=found["model"],
                task_id=found["task"],
                run_index=int(found["run"]),
                original=card,
                line=line,
            )
        elif card.strip():
            file.skip("other_format", "no line of the form === MODEL | TASK | RUN", line=line)
        line += card.count("\n")
