"""Leave out the sentences of raw responses that cannot matter to their task.

What is left out matches no gold of the task (see `grade.clues`) and states no number that it
looks for; nothing that scoring finds depends on it. Single chunks tell all of this, so it is worked
out once per distinct chunk.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from grade.gold import Gold
from grade.text.chunks import Chunks
from grade.text.encoding import Flags, flags_at
from grade.text.incidence import spread, token_rows
from grade.text.lexicon import MULTIPLIERS, NUMBER_WORDS

_RAW_FIELD: Final = 2
_GATED_TRACK: Final = 3
_CLUE: Final = ["text_no", "clue", "is_whole"]
_NUMBER: Final = r"\.?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
_SPELLED: Final = sorted(word for word in {*NUMBER_WORDS, *MULTIPLIERS, "one"} if "-" not in word)
_SCALES: Final = (1.0, 0.01, 100.0)
_NEARLY: Final = 1e-6
"""Wider than any tolerance of comparing numbers that should be equal."""


def screen(spans: pl.DataFrame, chunks: Chunks, runs: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Return the spans that can matter: all but those of raw responses that hold no clue.

    Args:
        spans: SPANS.
        chunks: The chunks of the sentences, sentence n being text n.
        runs: run_id, task_no and track, one row per run.
        gold: The catalogue.
    """
    is_raw = (spans["field_no"] == _RAW_FIELD).to_numpy()
    tasks = runs.select("run_id", "task_no", "track")
    raw = spans.filter(is_raw).join(tasks, on="run_id", maintain_order="left")
    texts = chunks.distinct.to_frame("text").with_row_index("chunk")
    words = _words(texts)
    telling = pl.concat([_with_clues(chunks, texts, words, gold.clues), _with_values(texts, gold)])
    kept = ~is_raw
    kept[is_raw] = _holding_numbers(raw, chunks, words) | _holding_telling(raw, chunks, telling)
    return spans.filter(kept)


def _words(texts: pl.DataFrame) -> pl.DataFrame:
    """The runs of letters and digits of each chunk: chunk, word."""
    text = pl.col("text").str.replace_all("[^a-z0-9]+", " ")
    return texts.select("chunk", word=text.str.split(" ")).explode("word").unique()


def _with_clues(
    chunks: Chunks, texts: pl.DataFrame, words: pl.DataFrame, clues: pl.DataFrame
) -> pl.DataFrame:
    """Chunks that hold a clue of a task: task_no, chunk.

    Of each gold text, as many clues as are needed are looked for, those that stand in the fewest places.
    """
    parts = clues.filter(~pl.col("is_whole"))["clue"].unique().sort().implode()
    inside = texts.filter(pl.col("text").str.contains_any(parts)).select(
        "chunk", clue=pl.col("text").str.extract_many(parts, overlapping=True)
    )
    held = pl.concat(
        [
            words.select("chunk", clue="word", is_whole=pl.lit(value=True)),
            inside.explode("clue").unique().with_columns(is_whole=pl.lit(value=False)),
        ]
    )
    places = texts.select("chunk", n_places=np.bincount(chunks.codes, minlength=texts.height))
    found = clues.join(held, on=["clue", "is_whole"], how="left").join(places, on="chunk", how="left")
    counted = found.group_by(*_CLUE, "n_needed").agg(pl.col("n_places").sum())
    ordered = counted.sort("text_no", "n_places", "clue", "is_whole")
    chosen = ordered.filter(pl.int_range(pl.len()).over("text_no") < pl.col("n_needed"))
    return found.drop_nulls("chunk").join(chosen, on=_CLUE, how="semi").select("task_no", "chunk")


def _with_values(texts: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Chunks with a number near a value that a task seeks, its hundredth or hundredfold: task_no, chunk.

    Signs are left aside, and a dot before a number may be its own or not.
    """
    found = pl.col("text").str.extract_all(_NUMBER)
    numbers = texts.select("chunk", number=found).explode("number").drop_nulls("number")
    numbers = numbers.with_columns(pl.col("number").str.replace_all(",", "", literal=True))
    bare = numbers.with_columns(pl.col("number").str.strip_prefix("."))
    dotted = numbers.filter(pl.col("number").str.starts_with(".")).with_columns(
        number=pl.concat_str(pl.lit("0"), "number")
    )
    value = pl.col("number").cast(pl.Float64, strict=False)
    stated = pl.concat([bare, dotted]).select("chunk", value=value).drop_nulls("value").sort("value")
    sought = gold.sought.join(gold.facts.select("fact_no", "task_no"), on="fact_no")
    wanted = sought["value"].abs().to_numpy()
    reach = sought["slack"].to_numpy() + _NEARLY * np.maximum(1.0, wanted)
    values = stated["value"].to_numpy()
    first = np.concatenate([np.searchsorted(values, (wanted - reach) / scale) for scale in _SCALES])
    stop = np.concatenate([np.searchsorted(values, (wanted + reach) / scale, "right") for scale in _SCALES])
    row, place = spread(first, stop - first)
    return pl.DataFrame(
        {
            "task_no": sought["task_no"].to_numpy()[row % len(wanted)],
            "chunk": stated["chunk"].to_numpy()[place],
        }
    )


def _holding_numbers(raw: pl.DataFrame, chunks: Chunks, words: pl.DataFrame) -> Flags:
    """Spans with a number that digits alone do not tell; any number where the task's gate asks for one."""
    word = pl.col("word")
    is_spelled = word.is_in(_SPELLED) | word.str.contains("[0-9]e")
    spelled, numeric = (
        _holding(raw, chunks, words.filter(mark)["chunk"])
        for mark in (is_spelled, word.str.contains("[0-9]"))
    )
    is_gated: Flags = (raw["track"] == _GATED_TRACK).to_numpy()
    return spelled | (numeric & is_gated)


def _holding(raw: pl.DataFrame, chunks: Chunks, marked: pl.Series) -> Flags:
    """Spans whose sentence holds one of some chunks."""
    places = np.flatnonzero(flags_at(marked.to_numpy(), len(chunks.distinct))[chunks.codes])
    n_texts = int(chunks.owners.max(initial=-1)) + 1
    return np.take(flags_at(chunks.owners[places], n_texts), raw["sentence_id"].to_numpy())


def _holding_telling(raw: pl.DataFrame, chunks: Chunks, telling: pl.DataFrame) -> Flags:
    """Spans whose sentence holds a chunk that tells their task something (task_no, chunk)."""
    n_tasks = 1 + max(frame["task_no"].to_numpy().max(initial=0) for frame in (raw, telling))
    tells: Flags = np.zeros((n_tasks, len(chunks.distinct)), dtype=np.bool_)
    tells[telling["task_no"].to_numpy(), telling["chunk"].to_numpy()] = True
    places = np.flatnonzero(np.any(tells, axis=0)[chunks.codes])
    owners = pl.Series(chunks.owners[places], dtype=pl.UInt32)
    row, chunk = token_rows(raw["sentence_id"], owners, pl.Series(chunks.codes[places]))
    return flags_at(row[tells[raw["task_no"].to_numpy()[row], chunk]], raw.height)
