"""Clues: what a sentence of the raw response must hold before it can matter to a task.

Most sentences of a raw response say nothing that the task's gold asks for, and reading sentences
into tokens is what scoring takes longest for. A text that matters shares much with the gold:

- It makes a forbidden claim, or states a fact told by its words, only if it holds at least half
  of the n distinct words, and then it holds one of any n // 2 + 1 of them. (A Jaccard similarity
  of 0.5 takes half of the claim's tokens, whatever the text's own size.)
- It names a string only if it holds every token of it, so any one will do.

Clues depend on the catalogue alone and are worked out once; which of them are looked for is chosen
batch by batch, the rarest first (see `grade.screening`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import polars as pl

from grade.schemas import CLUES, check
from grade.text.tokens import Lexed, tokenise
from grade.text.words import content_words

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_BETWEEN_PARTS: Final = re.compile("[-'._/]")


class _Clue(NamedTuple):
    text: str
    is_whole: bool


def find_clues(facts: pl.DataFrame, claims: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Work out the clues of a catalogue.

    Args:
        facts: FACTS.
        claims: CLAIMS.
        texts: GOLD_TEXTS.

    Returns:
        CLUES.
    """
    lexed = tokenise(texts.select(sentence_id="text_no", text="text"))
    tokens = _by_text(lexed, lexed.vocabulary.select("token_id", word="token"))
    words = _by_text(lexed, content_words(lexed.vocabulary))
    rows = []
    for task_no, text_no in _texts(claims.filter(pl.col("kind") == "forbidden"), "text_no"):
        held = {_clue(token) for token in tokens[text_no]}
        rows += [(text_no, *clue, task_no, len(tokens[text_no]) // 2 + 1) for clue in held]
    for task_no, text_no in _texts(facts.filter(pl.col("mode") == "words"), "text_no"):
        held = {_Clue(word, is_whole=False) for word in words[text_no]}
        rows += [(text_no, *clue, task_no, len(held) // 2 + 1) for clue in held]
    for task_no, text_no in _texts(facts.filter(pl.col("mode") == "string"), "string_text_no"):
        rows += [(text_no, *clue, task_no, 1) for clue in {_clue(token) for token in tokens[text_no]}]
    frame = pl.DataFrame(sorted(rows), schema=CLUES.dtypes, orient="row")
    return check(frame, CLUES, where="find_clues")


def _by_text(lexed: Lexed, words: pl.DataFrame) -> dict[int, set[str]]:
    held: dict[int, set[str]] = defaultdict(set)
    for text_no, word in lexed.tokens.join(words, on="token_id").select("sentence_id", "word").rows():
        held[text_no].add(word)
    return held


def _texts(rows: pl.DataFrame, text: str) -> Iterator[tuple[int, int]]:
    yield from rows.select("task_no", text).rows()


def _clue(token: str) -> _Clue:
    """What every spelling of a token holds: its last longest part; of a number, the first digit."""
    if _NUMBER.fullmatch(token):
        return _Clue(token[0], is_whole=False)
    part = max(reversed(_BETWEEN_PARTS.split(token)), key=len)
    return _Clue(part, is_whole=part.isascii())
