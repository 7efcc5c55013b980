"""One run, read: its entries, sentences and metric leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .entities import identifiers_in
from .metrics import Metrics, flatten
from .quantities import quantities
from .text import Entry, Sentence, read_entry
from .verdicts import RunKey, run_key

FIELDS = ("key_findings", "limitations", "raw_response_text")


@dataclass(frozen=True)
class Answer:
    """A run as the scorer sees it."""

    key: RunKey
    entries: dict[str, list[Entry]]
    metrics: Metrics
    citations: list[Entry]

    @property
    def is_empty(self) -> bool:
        """Whether the run has neither a token nor a metric leaf."""
        return not self.metrics.leaves and not any(True for _ in self.sentences())

    def sentences(self) -> Iterator[tuple[str, Sentence]]:
        """All sentences with their field, in reading order."""
        for field in FIELDS:
            for entry in self.entries[field]:
                for sentence in entry.sentences:
                    yield field, sentence

    @property
    def is_traceable(self) -> bool:
        """Whether the text names an entity identifier and a numeric rate (the gate of track 3)."""
        sentences = [sentence for _, sentence in self.sentences()]
        sentences += [sentence for entry in self.citations for sentence in entry.sentences]
        named = any(identifiers_in(sentence.words) for sentence in sentences)
        rated = any(q.percent or 0 < q.value < 1 for sentence in sentences for q in quantities(sentence))
        return named and rated


def read_answer(run: dict[str, Any]) -> Answer:
    """Read a run."""
    raw = run.get("raw_response_text")
    entries = {
        "key_findings": [read_entry(text) for text in run.get("key_findings") or []],
        "limitations": [read_entry(text) for text in run.get("limitations") or []],
        "raw_response_text": [] if raw is None else [read_entry(raw)],
    }
    cited = []
    for citation in run.get("evidence_citations") or []:
        parts = (citation.get(name) for name in ("citation_text", "source_file", "source_column"))
        cited += [read_entry(part) for part in parts if part is not None]
    return Answer(run_key(run), entries, flatten(run.get("structured_metrics")), cited)
