"""Stage judges: the verdicts of several judges, combined by a policy, and where they disagree.

Where persons judged a dimension of a run, only they count here. A judge whose verdict could not
be read scores nothing, but stays among those who were asked.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.dimensions import DIMENSIONS
from grade.expressions.categories import CATEGORIES, rank_of_category
from grade.expressions.verdicts import FAIL, PARTIAL, PASS, UNIT_OF_CATEGORY, category_of_unit
from grade.policy import Judges
from grade.schemas import DISAGREEMENTS, GROUP_KEY, RUN_KEY, check

_HUMAN: Final = "human:"
_ITEM: Final = (*RUN_KEY, "dimension")
_SUBJECT: Final = (*RUN_KEY, "dimension", "claim_id")


def count_unreadable(rejects: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Find the refused records that are verdicts on a dimension of a known run.

    A refused JSON record is searched for its names; a refused CSV row for cells that are a known
    model, task and dimension, its first whole number being the run.

    Args:
        rejects: REJECTS.
        runs: The key of every accepted run.

    Returns:
        One row per run and dimension with such verdicts: the run key, dimension, n_unreadable
        (judges, each counted once).
    """
    known = runs.select(RUN_KEY).unique()
    place = pl.format("{}:{}", "file", pl.col("line").fill_null(-1))
    rows = rejects.select("raw", place=place).with_row_index("row").drop_nulls("raw")
    is_json = pl.col("raw").str.starts_with("{")
    found = pl.concat([_from_json(rows.filter(is_json)), _from_cells(rows.filter(~is_json), known)])
    return (
        found.filter(pl.col("dimension").is_in(DIMENSIONS))
        .join(known, on=list(RUN_KEY), how="semi")
        .group_by(_ITEM)
        .agg(n_unreadable=pl.col("judge").n_unique().cast(pl.Int64))
        .sort(_ITEM)
    )


def combine_judges(verdicts: pl.DataFrame, unreadable: pl.DataFrame, *, judges: Judges) -> pl.DataFrame:
    """Make one score of the verdicts on each run and dimension.

    Args:
        verdicts: VERDICTS.
        unreadable: From `count_unreadable`.
        judges: mean: the mean unit score. majority: the category of more than half of the judges
            asked, else partial. conservative: the worst category. optimistic: the best one.
            unanimous: the category that all judges asked share, else none.

    Returns:
        One row per run and judged dimension: the run key, dimension, unit_score (null when
        disputed), is_human, is_disputed.
    """
    counts = {name: (pl.col("category") == name).sum() for name in CATEGORIES}
    tallied = (
        _counted(verdicts)
        .with_columns(category=category_of_unit(pl.col("unit_score")))
        .group_by(_ITEM)
        .agg(
            pl.col("is_human").first(),
            n_read=pl.len(),
            mean=_mean(pl.col("unit_score")),
            worst=rank_of_category(pl.col("category")).min(),
            best=rank_of_category(pl.col("category")).max(),
            **counts,
        )
        .join(unreadable, on=list(_ITEM), how="left")
    )
    n_refused = pl.when("is_human").then(0).otherwise(pl.col("n_unreadable").fill_null(0))
    n_asked = pl.col("n_read") + n_refused
    is_split = (pl.col("worst") != pl.col("best")) | (n_refused > 0)
    return (
        tallied.with_columns(is_disputed=is_split if judges == "unanimous" else pl.lit(value=False))
        .with_columns(unit_score=_chosen(judges, n_asked))
        .select(*_ITEM, "unit_score", "is_human", "is_disputed")
        .sort(_ITEM)
    )


def summarise_judges(verdicts: pl.DataFrame, unreadable: pl.DataFrame) -> pl.DataFrame:
    """Tell who judged a dimension of a group, how sure they were, and what the least pleased said.

    Args:
        verdicts: VERDICTS.
        unreadable: From `count_unreadable`.

    Returns:
        One row per group and dimension: the group key, dimension, n_judges, n_verdicts,
        confidence (the least), reasoning (of the lowest verdict that has any), n_unreadable.
    """
    key = [*GROUP_KEY, "dimension"]
    words = pl.col("reasoning").drop_nulls()
    told = (
        _counted(verdicts)
        .sort("unit_score", "confidence", "run_index", "judge_id", "reasoning", nulls_last=True)
        .group_by(key, maintain_order=True)
        .agg(
            n_judges=pl.col("judge_id").n_unique().cast(pl.Int64),
            n_verdicts=pl.len().cast(pl.Int64),
            confidence=pl.col("confidence").min(),
            reasoning=words.first(),
        )
    )
    refused = unreadable.group_by(key).agg(pl.col("n_unreadable").sum())
    return told.join(refused, on=key, how="full", coalesce=True).sort(key)


def find_disagreements(verdicts: pl.DataFrame) -> pl.DataFrame:
    """List what judges put in different categories.

    Args:
        verdicts: VERDICTS.

    Returns:
        DISAGREEMENTS; a person's verdict is one among the others here.
    """
    category = pl.col("category")
    rows = (
        verdicts.with_columns(category=category_of_unit(pl.col("unit_score")))
        .sort("judge_id")
        .group_by(_SUBJECT, maintain_order=True)
        .agg(
            n_judges=pl.len().cast(pl.Int64),
            n_pass=(category == PASS).sum().cast(pl.Int64),
            n_partial=(category == PARTIAL).sum().cast(pl.Int64),
            n_fail=(category == FAIL).sum().cast(pl.Int64),
            lowest_score=pl.col("unit_score").min(),
            highest_score=pl.col("unit_score").max(),
            opinions=pl.format("{}: {}", "judge_id", "category"),
            n_categories=category.n_unique(),
        )
        .filter(pl.col("n_categories") > 1)
    )
    return check(
        rows.select(DISAGREEMENTS.columns).sort(DISAGREEMENTS.key), DISAGREEMENTS, where="find_disagreements"
    )


def _counted(verdicts: pl.DataFrame) -> pl.DataFrame:
    """The verdicts on dimensions that count, with is_human."""
    human = pl.col("judge_id").str.starts_with(_HUMAN)
    return (
        verdicts.filter(pl.col("dimension").is_not_null())
        .with_columns(is_human=human.any().over(_ITEM))
        .filter(human | ~pl.col("is_human"))
    )


def _chosen(judges: Judges, n_asked: pl.Expr) -> pl.Expr:
    if judges == "mean":
        return pl.col("mean")
    ranks = dict(enumerate(CATEGORIES))
    majority = pl.coalesce(*(pl.when(2 * pl.col(name) > n_asked).then(pl.lit(name)) for name in CATEGORIES))
    category = {
        "majority": majority.fill_null(PARTIAL),
        "conservative": pl.col("worst").replace_strict(ranks, return_dtype=pl.String),
        "optimistic": pl.col("best").replace_strict(ranks, return_dtype=pl.String),
        "unanimous": pl.when(~pl.col("is_disputed")).then(
            pl.col("worst").replace_strict(ranks, return_dtype=pl.String)
        ),
    }[judges]
    return category.replace_strict(UNIT_OF_CATEGORY, default=None, return_dtype=pl.Float64)


def _mean(values: pl.Expr) -> pl.Expr:
    return values.sort().cum_sum().last() / pl.len()


def _from_json(rows: pl.DataFrame) -> pl.DataFrame:
    def text(name: str) -> pl.Expr:
        return pl.col("raw").str.extract(rf'"{name}"\s*:\s*"((?:[^"\\]|\\.)*)"')

    return rows.filter(text("judge_id").is_not_null()).select(
        model_id=text("model_id"),
        task_id=text("task_id"),
        run_index=pl.col("raw").str.extract(r'"run_index"\s*:\s*([0-9]{1,18})\b').cast(pl.Int64),
        dimension=text("dimension"),
        judge=text("judge_id"),
    )


def _from_cells(rows: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    cells = rows.with_columns(cell=pl.col("raw").str.split(",")).explode("cell")
    cells = cells.with_columns(pl.col("cell").str.strip_chars(' "'))
    runs = cells.filter(pl.col("cell").str.contains(r"^[0-9]{1,18}$"))
    named = {name: known.select(cell=name).unique() for name in GROUP_KEY}
    named["dimension"] = pl.DataFrame({"cell": DIMENSIONS})
    found = rows.select("row", judge="place")
    for name, values in named.items():
        first = cells.join(values, on="cell", how="semi").unique("row", keep="first", maintain_order=True)
        found = found.join(first.select("row", pl.col("cell").alias(name)), on="row")
    index = runs.unique("row", keep="first", maintain_order=True)
    return found.join(
        index.select("row", run_index=pl.col("cell").cast(pl.Int64)), on="row", maintain_order="left"
    ).select(*RUN_KEY, "dimension", "judge")
