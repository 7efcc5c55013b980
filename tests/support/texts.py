"""What the scorer reads in texts, as plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from grade.explode import explode
from grade.metrics import flatten_metrics
from grade.schemas import GOLD_TEXTS, RUNS
from grade.text.corpus import Corpus, cut_texts, read_corpus, sentence_words


@dataclass
class Reading:
    """One entry, read.

    Attributes:
        sentences: Its sentences as written.
        tokens: All its tokens, in order.
        clauses: The tokens of each clause, joined with spaces.
        quantities: value, is_percent, is_difference of each.
        entities: Entities in order.
        cues: Negation cues in order.
        words: Its content words, sorted.
    """

    sentences: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    quantities: list[tuple[float, bool, bool]] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    cues: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def read_texts(texts: Sequence[str]) -> list[Reading]:
    """Read each text as one entry of an answer."""
    runs = pl.DataFrame(
        {
            "run_id": range(len(texts)),
            "key_findings": [[text] for text in texts],
            "limitations": [[] for _ in texts],
            "raw_response_text": [None for _ in texts],
            "evidence_citations": [[] for _ in texts],
        },
        schema={"run_id": pl.UInt32} | {name: RUNS.dtypes[name] for name in _FIELDS},
    )
    spans, sentences = explode(runs)
    corpus = read_corpus(cut_texts(sentences, GOLD_TEXTS.empty()), sentences["sentence_id"])
    known = _by_sentence(corpus)
    readings = [Reading() for _ in texts]
    for run_id, sentence_id in spans.select("run_id", "sentence_id").rows():
        _extend(readings[run_id], known[sentence_id])
    return readings


_FIELDS = ("key_findings", "limitations", "raw_response_text", "evidence_citations")


def _extend(reading: Reading, sentence: Reading) -> None:
    for name, values in vars(sentence).items():
        getattr(reading, name).extend(values)
    reading.words = sorted(set(reading.words))


def _by_sentence(corpus: Corpus) -> dict[int, Reading]:
    known = {number: Reading(sentences=[text]) for number, text in corpus.texts.rows()}
    named = corpus.tokens.join(corpus.vocabulary, on="token_id", maintain_order="left")
    for number, tokens in (
        named.group_by("sentence_id", "clause", maintain_order=True)
        .agg("token")
        .select("sentence_id", "token")
        .rows()
    ):
        known[number].tokens.extend(tokens)
        known[number].clauses.append(" ".join(tokens))
    for number, cue in named.filter("is_cue").select("sentence_id", "token").rows():
        known[number].cues.append(cue)
    for number, entity in corpus.entities.select("sentence_id", "entity").rows():
        known[number].entities.append(entity)
    told = ("sentence_id", "value", "is_percent", "is_difference")
    for number, *quantity in corpus.quantities.select(told).rows():
        known[number].quantities.append(tuple(quantity))
    for number, word in sentence_words(corpus, corpus.texts).rows():
        known[number].words.append(word)
    return known


def read_metrics(documents: Sequence[str]) -> list[list[tuple[str, float | str, bool]]]:
    """Flatten JSON documents: key, value (a number, or else a text) and whether it is flagged percent."""
    runs = pl.DataFrame(
        {"run_id": range(len(documents)), "structured_metrics": list(documents)},
        schema={"run_id": pl.UInt32, "structured_metrics": pl.String},
    )
    leaves: list[list[tuple[str, float | str, bool]]] = [[] for _ in documents]
    flat = flatten_metrics(runs).leaves
    for run_id, key, value, text, is_percent in flat.select(
        "run_id", "key", "value", "text", "is_percent"
    ).rows():
        leaves[run_id].append((key, text, False) if value is None else (key, value, is_percent))
    return leaves
