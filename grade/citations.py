"""Stage citations: what an answer cites, held against the task's inputs and the pack's data.

Reported, not scored. What cannot be told is null, never wrong: a pack that ships no data says
nothing about columns and identifiers.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.schemas import CITATION_CHECKS, RUN_KEY, check
from grade.text.identifiers import find_identifiers

_ROW: Final = "row_no"
_NAME_MARKS: Final = "`'\" \t\r\n"
_BETWEEN_NAMES: Final = r"\s*[,;+&|]\s*|\s+and\s+"


def check_citations(
    runs: pl.DataFrame, tasks: pl.DataFrame, headers: pl.DataFrame, identifiers: pl.DataFrame
) -> pl.DataFrame:
    """Check each citation's file, column and identifiers.

    A citation may name several files or columns, joined by a comma or "and"; each must be right.
    Files are compared by name, columns without regard to case. Identifiers are checked where the
    pack ships every input of the task.

    Args:
        runs: RUNS.
        tasks: TASKS.
        headers: pack_id, source_file, source_column: the columns of each file that a pack ships;
            one row with a null column for a file without header.
        identifiers: pack_id and identifier: every identifier in a pack's data, in lower case.

    Returns:
        CITATION_CHECKS, one row per citation, sorted.
    """
    cited = _explode(runs)
    inputs = (
        tasks.select("task_id", "pack_id", source_file="allowed_inputs").explode("source_file").drop_nulls()
    )
    inputs = inputs.with_columns(_file_name(pl.col("source_file")))
    shipped = headers.select(
        "pack_id", _file_name(pl.col("source_file")), pl.col("source_column").str.to_lowercase()
    )
    files = _names(cited, "source_file").with_columns(_file_name(pl.col("source_file")))
    checked = (
        cited.join(_allowed(files, inputs), on=_ROW, how="left", maintain_order="left")
        .join(
            _columns(files, _names(cited, "source_column"), shipped),
            on=_ROW,
            how="left",
            maintain_order="left",
        )
        .join(
            _identified(cited, _complete(inputs, shipped), identifiers),
            on=_ROW,
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col("unknown_ids").fill_null([]))
        .with_columns(grounded=_grounded())
    )
    return check(checked.select(CITATION_CHECKS.columns), CITATION_CHECKS, where="check_citations")


def _explode(runs: pl.DataFrame) -> pl.DataFrame:
    """One row per citation, in order; `citation` is its text."""
    citations = pl.col("evidence_citations")
    return (
        runs.select(*RUN_KEY, "pack_id", citations, citation_no=pl.int_ranges(citations.list.len()))
        .filter(citations.list.len() > 0)
        .explode("evidence_citations", "citation_no")
        .unnest("evidence_citations")
        .drop("grounded")
        .rename({"citation_text": "citation"})
        .sort(*RUN_KEY, "citation_no")
        .with_row_index(_ROW)
    )


def _names(cited: pl.DataFrame, field: str) -> pl.DataFrame:
    """One row per file or column that a citation names."""
    names = pl.col(field).str.replace_all(_BETWEEN_NAMES, ",").str.split(",")
    return (
        cited.select(_ROW, "task_id", "pack_id", names)
        .explode(field)
        .with_columns(pl.col(field).str.strip_chars(_NAME_MARKS))
        .filter(pl.col(field).str.len_bytes() > 0)
    )


def _file_name(path: pl.Expr) -> pl.Expr:
    return path.str.split("/").list.last()


def _allowed(files: pl.DataFrame, inputs: pl.DataFrame) -> pl.DataFrame:
    known = inputs.select("task_id", "source_file", is_allowed=pl.lit(value=True)).unique()
    return (
        files.join(known, on=["task_id", "source_file"], how="left", validate="m:1")
        .group_by(_ROW)
        .agg(file_allowed=pl.col("is_allowed").is_not_null().all())
    )


def _columns(files: pl.DataFrame, columns: pl.DataFrame, shipped: pl.DataFrame) -> pl.DataFrame:
    """Whether all columns stand in the cited files; null when a file's header is not known."""
    header = shipped.filter(pl.col("source_column").is_not_null()).unique()
    with_header = header.select("pack_id", "source_file", has_header=pl.lit(value=True)).unique()
    known = files.join(with_header, on=["pack_id", "source_file"], how="left", validate="m:1")
    pairs = known.join(columns.select(_ROW, pl.col("source_column").str.to_lowercase()), on=_ROW).join(
        header.with_columns(is_there=pl.lit(value=True)),
        on=["pack_id", "source_file", "source_column"],
        how="left",
        validate="m:1",
    )
    by_column = pairs.group_by(_ROW, "source_column").agg(
        is_there=pl.col("is_there").is_not_null().any(), is_known=pl.col("has_header").is_not_null().all()
    )
    verdict = pl.when(pl.col("is_there")).then(statement=True).when(pl.col("is_known")).then(statement=False)
    return by_column.group_by(_ROW).agg(column_exists=verdict.all(ignore_nulls=False))


def _complete(inputs: pl.DataFrame, shipped: pl.DataFrame) -> pl.DataFrame:
    """The tasks whose inputs are all shipped."""
    there = shipped.select("pack_id", "source_file", is_shipped=pl.lit(value=True)).unique()
    return (
        inputs.join(there, on=["pack_id", "source_file"], how="left", validate="m:1")
        .group_by("task_id")
        .agg(pl.col("is_shipped").is_not_null().all())
        .filter("is_shipped")
        .select("task_id")
    )


def _identified(cited: pl.DataFrame, complete: pl.DataFrame, identifiers: pl.DataFrame) -> pl.DataFrame:
    """Whether a citation's identifiers were looked up, and those that were not found."""
    looked_up = cited.join(complete, on="task_id", how="semi")
    named = find_identifiers(looked_up.select(text_no=_ROW, text="citation")).rename({"text_no": _ROW})
    known = identifiers.select("pack_id", "identifier", is_known=pl.lit(value=True)).unique()
    return (
        named.join(looked_up.select(_ROW, "pack_id"), on=_ROW)
        .join(known, on=["pack_id", "identifier"], how="left", validate="m:1")
        .group_by(_ROW)
        .agg(
            unknown_ids=pl.col("identifier").filter(pl.col("is_known").is_null()).sort(),
            is_looked_up=pl.lit(value=True).first(),
        )
    )


def _grounded() -> pl.Expr:
    checks = (pl.col("file_allowed"), pl.col("column_exists"), pl.col("unknown_ids").list.len() == 0)
    is_wrong = pl.any_horizontal(*(~check.fill_null(value=True) for check in checks))
    is_checked = pl.any_horizontal(
        pl.col("file_allowed").is_not_null(), pl.col("column_exists").is_not_null(), pl.col("is_looked_up")
    ).fill_null(value=False)
    return pl.when(is_wrong).then(statement=False).when(is_checked).then(statement=True)
