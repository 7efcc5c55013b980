"""Explode runs into the sentences of their fields, each distinct sentence kept once."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.schemas import SENTENCES, SPANS
from grade.text.cleaning import HAS_TOKEN, clean, lines, sentences, without_bullet, without_lead
from grade.text.encoding import encode, places_within

_PLACE: Final = ("run_id", "field_no", "entry_no")


class Exploded(NamedTuple):
    """The text of a batch of runs.

    Attributes:
        spans: A row per sentence where it stands in a run (see `grade.schemas.SPANS`).
        sentences: A row per distinct sentence (see `grade.schemas.SENTENCES`).
    """

    spans: pl.DataFrame
    sentences: pl.DataFrame


def explode(runs: pl.DataFrame, *, with_citations: pl.Expr | None = None) -> Exploded:
    """Cut the fields of runs into sentences.

    Args:
        runs: run_id, key_findings, limitations, raw_response_text, evidence_citations.
        with_citations: Which runs' citations are read too, as field 3; none when not given.

    Returns:
        Spans numbered within their entry, without sentences that hold no token.
    """
    entries = _entries(runs, pl.lit(value=False) if with_citations is None else with_citations)
    placed = entries.with_row_index("entry").select("entry", line=lines(pl.col("text"))).explode("line")
    placed = placed.filter(pl.col("line").str.contains(HAS_TOKEN))
    distinct_lines, line_codes = encode(placed["line"])
    cut = _cut(distinct_lines)
    distinct, codes = encode(cut["text"])
    cut = cut.select("line_id", sentence_id=pl.Series(codes, dtype=pl.UInt32))
    spans = (
        placed.select("entry", line_id=pl.Series(line_codes, dtype=pl.UInt32))
        .join(cut, on="line_id", how="inner", maintain_order="left_right")
        .select("entry", "sentence_id")
    )
    entry = spans["entry"].to_numpy()
    numbered = entries.select(_PLACE)[entry].with_columns(
        spans["sentence_id"], sentence_no=pl.Series(places_within(entry), dtype=pl.UInt32)
    )
    return Exploded(
        numbered.select(SPANS.columns),
        distinct.to_frame("text").with_row_index("sentence_id").select(SENTENCES.columns),
    )


def _entries(runs: pl.DataFrame, with_citations: pl.Expr) -> pl.DataFrame:
    """Every entry of every field: run_id, field_no, entry_no, text; ordered."""
    parts_of_citation = [
        pl.element().struct.field(name) for name in ("citation_text", "source_file", "source_column")
    ]
    cited = pl.col("evidence_citations").list.eval(pl.concat_list(parts_of_citation).explode())
    texts = {
        0: pl.col("key_findings"),
        1: pl.col("limitations"),
        2: pl.concat_list("raw_response_text"),
        3: pl.when(with_citations).then(cited),
    }
    parts = [
        runs.select("run_id", text=text, entry_no=pl.int_ranges(text.list.len(), dtype=pl.UInt32))
        .explode("text", "entry_no")
        .drop_nulls("text")
        .select("run_id", "entry_no", "text", field_no=pl.lit(number, pl.UInt8))
        for number, text in texts.items()
    ]
    return pl.concat(parts).sort(_PLACE).select(*_PLACE, "text")


def _cut(distinct_lines: pl.Series) -> pl.DataFrame:
    """The sentences of distinct lines: line_id, text; ordered."""
    return (
        _bare(distinct_lines)
        .to_frame("line")
        .with_row_index("line_id")
        .select("line_id", text=sentences(pl.col("line")))
        .explode("text")
        .with_columns(pl.col("text").str.strip_chars())
        .filter(pl.col("text").str.contains(HAS_TOKEN))
    )


def _bare(distinct_lines: pl.Series) -> pl.Series:
    """Lines that are clean and without lead; most have nothing to clean and only lose their lead."""
    line = pl.col("line")
    rows = distinct_lines.to_frame("line").with_row_index("line_id")
    is_plain = (line.str.len_bytes() == line.str.len_chars()) & ~line.str.contains("|", literal=True)
    parts = [
        rows.filter(is_plain).with_columns(without_bullet(line)),
        rows.filter(~is_plain).with_columns(without_lead(clean(line))),
    ]
    return pl.concat(parts).sort("line_id")["line"]
