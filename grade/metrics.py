"""Flatten structured metrics: every number and text of the free-form JSON, under one key each."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.db import Database, opened
from grade.schemas import METRICS, check
from grade.text.cleaning import clean
from grade.text.encoding import encode
from grade.text.lexicon import MULTIPLIERS
from grade.text.tokens import tokenise

_NUMBER: Final = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
_QUANTITY: Final = (
    rf"^(?:([+-]?)\p{{Sc}}?|\p{{Sc}}(-))({_NUMBER})(e[+-]?[0-9]+)?"
    r"(?:\s*(thousand|million|billion))?"
    r"(?:\s*-?(%|x|pp|points?|percent|per\s+cent|percentage(?:[\s-]points?)?))?$"
)
_PLAIN_UNITS: Final = ("", "x", "percentage")
_MAX_NAMING_TOKENS: Final = 3
_SHORT_BYTES: Final = 8_192


class Metrics(NamedTuple):
    """The metrics of a batch.

    Attributes:
        leaves: A row per number or text (see `grade.schemas.METRICS`).
        nonfinite: run_id of the runs that report a NaN or an infinity, which is dropped.
    """

    leaves: pl.DataFrame
    nonfinite: pl.DataFrame


def flatten_metrics(runs: pl.DataFrame, *, database: Database | None = None) -> Metrics:
    """Flatten the metrics of runs.

    Nested keys are joined with dots. An item of a list goes by its position or, when it is an
    object whose short texts name one entity each, by those entities joined with "+". A segment
    that comes twice under one parent gets "#2", the next "#3".

    Args:
        runs: run_id and structured_metrics (JSON text of an object).
        database: An open database to use; one is opened and closed if none is given.
    """
    documents, codes = encode(runs["structured_metrics"])
    owners = runs.select("run_id", document_id=pl.Series(codes, dtype=pl.Int64))
    frame = documents.to_frame("document").select(document_id=pl.int_range(pl.len()), document="document")
    with opened(database) as db:
        nodes = _nodes(frame, db)
    leaves = _numbered(_valued(_keyed(_with_segments(nodes))), "document_id", "key")
    is_finite = pl.col("value").is_finite() | pl.col("value").is_null()
    rows = owners.join(leaves.filter(is_finite), on="document_id", maintain_order="left_right")
    numbered = rows.with_columns(leaf_no=pl.int_range(pl.len(), dtype=pl.UInt32).over("run_id"))
    lost = owners.join(leaves.filter(~is_finite), on="document_id", how="semi").select("run_id")
    return Metrics(check(numbered.select(METRICS.columns), METRICS, where="flatten_metrics"), lost)


def _nodes(documents: pl.DataFrame, database: Database) -> pl.DataFrame:
    """The nodes of all documents; long ones are walked in a way that stays linear in their length."""
    is_long = pl.col("document").str.len_bytes() > _SHORT_BYTES
    parts = {"metric_nodes": documents.filter(~is_long), "long_metric_nodes": documents.filter(is_long)}
    nodes = [
        database.query(name, {"documents": part}).with_columns(pl.col("node_id", "parent_id").cast(pl.Int64))
        for name, part in parts.items()
        if part.height or name == "metric_nodes"
    ]
    return pl.concat(nodes).sort("document_id", "node_id") if len(nodes) > 1 else nodes[0]


def _with_segments(nodes: pl.DataFrame) -> pl.DataFrame:
    """Name each node beneath its parent."""
    parents = nodes.select("document_id", parent_id="node_id", in_list="is_list")
    placed = nodes.join(parents, on=["document_id", "parent_id"], how="left", maintain_order="left")
    named = placed.join(
        _naming_entities(placed), on=["document_id", "node_id"], how="left", maintain_order="left"
    )
    by_entity = pl.when(pl.col("in_list") & pl.col("is_object")).then(pl.col("entities"))
    segment = pl.coalesce(by_entity, pl.col("key"))
    named = named.with_columns(segment=segment)
    return _numbered(named, "document_id", "parent_id", "segment")


def _numbered(frame: pl.DataFrame, *key: str) -> pl.DataFrame:
    """Write "#2", "#3" behind the last column of `key` where the key comes again."""
    if not frame.select(key).is_duplicated().any():
        return frame
    repeat = pl.int_range(1, pl.len() + 1).over(key)
    again = pl.concat_str(key[-1], pl.lit("#"), repeat.cast(pl.String))
    return frame.with_columns(pl.when(repeat > 1).then(again).otherwise(key[-1]).alias(key[-1]))


def _naming_entities(nodes: pl.DataFrame) -> pl.DataFrame:
    """The entities that an object's own short texts name, one text each: document_id, node_id, entities."""
    texts = nodes.drop_nulls("text").select("document_id", "parent_id", "text")
    distinct, codes = encode(texts["text"])
    lexed = tokenise(
        distinct.to_frame("text").with_row_index("sentence_id").with_columns(clean(pl.col("text")))
    )
    names = (
        lexed.tokens.join(lexed.vocabulary.select("token_id", "entity"), on="token_id", maintain_order="left")
        .group_by("sentence_id", maintain_order=True)
        .agg(n_tokens=pl.len(), entity=pl.col("entity").drop_nulls().unique(maintain_order=True))
        .filter((pl.col("n_tokens") <= _MAX_NAMING_TOKENS) & (pl.col("entity").list.len() == 1))
        .select("sentence_id", entity=pl.col("entity").list.first())
    )
    return (
        texts.with_columns(sentence_id=pl.Series(codes, dtype=pl.UInt32))
        .join(names, on="sentence_id", maintain_order="left")
        .group_by("document_id", node_id="parent_id", maintain_order=True)
        .agg(entities=pl.col("entity").unique(maintain_order=True).str.join("+"))
    )


def _keyed(nodes: pl.DataFrame) -> pl.DataFrame:
    """Join segments from the root down, one level of nesting at a time."""
    columns = ("document_id", "node_id", "key", "number", "text")
    level = nodes.filter(pl.col("parent_id").is_null()).select(
        "document_id", "node_id", key=pl.lit(None, pl.String)
    )
    levels = [nodes.clear().select(columns)]
    while level.height:
        above = level.select("document_id", parent_id="node_id", above="key")
        level = (
            nodes.drop("key")
            .join(above, on=["document_id", "parent_id"], maintain_order="left")
            .with_columns(key=pl.concat_str("above", "segment", separator=".", ignore_nulls=True))
            .select(columns)
        )
        levels.append(level)
    return pl.concat(levels).sort("document_id", "node_id")


def _valued(nodes: pl.DataFrame) -> pl.DataFrame:
    """Keep the leaves and read texts that are one quantity as a whole."""
    leaves = nodes.filter(pl.col("number").is_not_null() | pl.col("text").is_not_null())
    read = _quantities(leaves["text"].drop_nulls().unique())
    return leaves.join(read, on="text", how="left", maintain_order="left").select(
        "document_id",
        "key",
        "text",
        value=pl.coalesce("number", "stated"),
        is_percent=pl.col("is_percent").fill_null(value=False),
    )


def _quantities(texts: pl.Series) -> pl.DataFrame:
    """What each distinct text states if it is one quantity: text, stated, is_percent."""
    plain = clean(pl.col("text")).str.to_lowercase().str.strip_chars()
    part = {number: plain.str.extract(_QUANTITY, number) for number in range(1, 7)}
    digits = pl.concat_str(part[3].str.replace_all(",", "", literal=True), part[4].fill_null("")).cast(
        pl.Float64, strict=False
    )
    factor = part[5].replace_strict(MULTIPLIERS, default=1.0, return_dtype=pl.Float64)
    is_negative = (part[1].fill_null("") == "-") | part[2].is_not_null()
    sign = pl.when(is_negative).then(-1.0).otherwise(1.0)
    is_percent = ~part[6].fill_null("").is_in(_PLAIN_UNITS)
    return texts.to_frame("text").select("text", stated=digits * factor * sign, is_percent=is_percent)
