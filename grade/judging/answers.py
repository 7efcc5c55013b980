"""Stage answers: a run as the text that a judge reads.

The judge sees what was answered and never who answered. Very long parts are cut, and say so.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.schemas import RUN_KEY

LONGEST_PART: Final = 40_000
"""Characters of one part of an answer that a prompt holds at most: about 10,000 tokens."""

_CITED: Final = ("citation_text", "source_file", "source_column")


def write_answers(runs: pl.DataFrame) -> pl.DataFrame:
    """Write each run's answer out.

    Args:
        runs: RUNS.

    Returns:
        The run key, answer_text and answer_is_cut (some part was longer than `LONGEST_PART`).
    """
    cited = runs.with_columns(evidence_citations=_citations(pl.col("evidence_citations")))
    parts = cited.select(
        *RUN_KEY,
        findings=_numbered("key_findings"),
        caveats=_numbered("limitations"),
        metrics=pl.col("structured_metrics"),
        sources=_numbered("evidence_citations"),
        whole=pl.col("raw_response_text"),
    )
    names = ("findings", "caveats", "metrics", "sources", "whole")
    return parts.select(
        *RUN_KEY,
        answer_text=pl.concat_str(
            _titled("Findings", "findings"),
            _titled("\n\nLimitations", "caveats"),
            _titled("\n\nMetrics, as JSON", "metrics"),
            _titled("\n\nSources cited", "sources"),
            _titled("\n\nThe whole answer as it was written", "whole"),
        ),
        answer_is_cut=pl.any_horizontal(
            pl.col(name).str.len_chars().fill_null(0) > LONGEST_PART for name in names
        ),
    )


def _numbered(column: str) -> pl.Expr:
    """The entries of a list, one a line, numbered from 1."""
    entry = pl.concat_str(pl.int_range(1, pl.len() + 1).cast(pl.String), pl.lit(". "), pl.element())
    return pl.col(column).list.eval(entry).list.join("\n").fill_null("")


def _citations(column: pl.Expr) -> pl.Expr:
    text, file, name = (pl.element().struct.field(field) for field in _CITED)
    return column.list.eval(
        pl.concat_str(
            text.fill_null(""),
            pl.concat_str(pl.lit(" [file: "), file, pl.lit("]")).fill_null(""),
            pl.concat_str(pl.lit(" [column: "), name, pl.lit("]")).fill_null(""),
        )
    )


def _titled(title: str, column: str) -> pl.Expr:
    part = pl.col(column).fill_null("")
    length = part.str.len_chars()
    cut = pl.concat_str(
        part.str.slice(0, LONGEST_PART),
        pl.format("\n[cut here: {} more characters]", length - pl.min_horizontal(length, LONGEST_PART)),
    )
    shown = pl.when(length > LONGEST_PART).then(cut).when(length == 0).then(pl.lit("(none)")).otherwise(part)
    return pl.concat_str(pl.lit(f"{title}:\n"), shown)
