"""Stage consistency (C4): how stable a model's answers to one task are over its runs."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from grade.schemas import CONSISTENCY, GROUP_KEY, check
from grade.stats.segments import inverse_variation, segment_means
from grade.text.encoding import Ints, encode
from grade.text.incidence import incidence, token_rows

_TOP: Final = 3
_WEIGHTS: Final = {"finding_stability": 50, "ranking_stability": 30, "metric_variance": 20}
_THIRDS: Final = 3


def score_consistency(
    runs: pl.DataFrame, spans: pl.DataFrame, tokens: pl.DataFrame, leaves: pl.DataFrame
) -> pl.DataFrame:
    """Score the stability of every group of runs.

    Finding stability (weight 0.50) is the mean share of runs that hold each unique finding among
    the first three; ranking stability (0.30) the mean agreement of their order, (tau-b + 1) / 2,
    over pairs of runs; metric variance (0.20) the mean of 1 / (1 + CV) over metrics that two runs
    or more report. What cannot be measured is null and its weight goes to the others; a group of
    one run is null altogether.

    Args:
        runs: run_id, group_id and the run key; empty runs take part as runs without findings.
        spans: SPANS.
        tokens: sentence_id and token_id of each token.
        leaves: METRICS.

    Returns:
        CONSISTENCY, one row per group.
    """
    groups = runs.group_by("group_id", *GROUP_KEY).agg(n_runs=pl.len().cast(pl.Int64))
    held = _unique_findings(_top_findings(runs, spans), tokens)
    parts = (
        groups.join(_finding_stability(held, groups), on="group_id", how="left")
        .join(_ranking_stability(held), on="group_id", how="left")
        .join(_metric_variance(runs, leaves), on="group_id", how="left")
        .with_columns(pl.when(pl.col("n_runs") > 1).then(pl.col(name)).alias(name) for name in _WEIGHTS)
    )
    weighted = pl.sum_horizontal(pl.col(name) * weight for name, weight in _WEIGHTS.items())
    weight = pl.sum_horizontal(pl.col(name).is_not_null() * weight for name, weight in _WEIGHTS.items())
    scored = parts.with_columns(consistency=pl.when(weight > 0).then((weighted / weight).clip(0, 1)))
    return check(scored.select(CONSISTENCY.columns).sort(GROUP_KEY), CONSISTENCY, where="score_consistency")


def _top_findings(runs: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The first three entries of key_findings with tokens: group_id, run_id, rank, sentences."""
    return (
        spans.filter(pl.col("field_no") == 0)
        .group_by("run_id", "entry_no")
        .agg(sentences=pl.col("sentence_id").unique().sort())
        .sort("run_id", "entry_no")
        .with_columns(rank=pl.int_range(pl.len()).over("run_id"))
        .filter(pl.col("rank") < _TOP)
        .join(runs.select("run_id", "group_id"), on="run_id", maintain_order="left")
        .select("group_id", "run_id", "rank", "sentences")
    )


def _unique_findings(findings: pl.DataFrame, tokens: pl.DataFrame) -> pl.DataFrame:
    """Which unique findings each run holds: group_id, run_id, finding_no, rank (its first place)."""
    nodes = (
        findings.select("group_id", "sentences").unique().sort("group_id", "sentences").with_row_index("node")
    )
    nodes = nodes.with_columns(finding_no=pl.Series(_components(nodes, tokens), dtype=pl.Int64))
    return (
        findings.join(nodes, on=["group_id", "sentences"], maintain_order="left")
        .group_by("group_id", "run_id", "finding_no")
        .agg(pl.col("rank").min())
        .sort("run_id", "rank")
    )


def _components(nodes: pl.DataFrame, tokens: pl.DataFrame) -> Ints:
    """Component of each node, findings of a group being linked when their Jaccard is at least 0.5."""
    if nodes.is_empty():
        return np.empty(0, np.int32)
    parts = nodes.select("node", "group_id", "sentences").explode("sentences")
    row, token = token_rows(parts["sentences"], tokens["sentence_id"], tokens["token_id"])
    group = parts["group_id"].to_numpy()[row].astype(np.int64)
    # A token counts as another one in another group, so that one product compares within groups only.
    columns, column = encode(pl.Series(group * (int(token.max()) + 1) + token))
    held = incidence(parts["node"].to_numpy()[row], column, (nodes.height, len(columns)))
    shared = (held @ held.T).tocoo()
    sizes = np.asarray(held.sum(axis=1), dtype=np.int32).ravel()
    linked = 2 * shared.data >= sizes[shared.row] + sizes[shared.col] - shared.data
    graph = sparse.csr_array(
        (np.ones(int(linked.sum()), dtype=np.int8), (shared.row[linked], shared.col[linked])),
        shape=(nodes.height, nodes.height),
    )
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int32)


def _finding_stability(held: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    counts = held.group_by("group_id").agg(n_held=pl.len(), n_findings=pl.col("finding_no").n_unique())
    return counts.join(groups.select("group_id", "n_runs"), on="group_id").select(
        "group_id", finding_stability=pl.col("n_held") / (pl.col("n_runs") * pl.col("n_findings"))
    )


def _ranking_stability(held: pl.DataFrame) -> pl.DataFrame:
    """Mean order agreement over measurable pairs of runs.

    The findings of a run have no ties, so that (tau-b + 1) / 2 is the share of concordant pairs
    of findings. With three findings at most it is a whole number of thirds, which sum exactly.
    """
    sizes = held.group_by("run_id").agg(n_held=pl.len())
    shared = held.join(held, on=["group_id", "finding_no"], suffix="_b").filter(
        pl.col("run_id") < pl.col("run_id_b")
    )
    pair = ["group_id", "run_id", "run_id_b"]
    by_pair = shared.group_by(pair).agg(n_shared=pl.len())
    twos = shared.join(shared, on=pair, suffix="_2").filter(pl.col("finding_no") < pl.col("finding_no_2"))
    same_order = (pl.col("rank") < pl.col("rank_2")) == (pl.col("rank_b") < pl.col("rank_b_2"))
    agreement = twos.group_by(pair).agg(
        n_same=same_order.sum().cast(pl.Int64), n_twos=pl.len().cast(pl.Int64)
    )
    measured = (
        by_pair.join(agreement, on=pair, how="left")
        .join(sizes, on="run_id")
        .join(sizes.rename({"run_id": "run_id_b", "n_held": "n_held_b"}), on="run_id_b")
        .with_columns(
            thirds=pl.when(pl.col("n_shared") > 1)
            .then(_THIRDS * pl.col("n_same") // pl.col("n_twos"))
            .when((pl.col("n_held") == 1) & (pl.col("n_held_b") == 1))
            .then(pl.lit(_THIRDS))
        )
        .drop_nulls("thirds")
    )
    return measured.group_by("group_id").agg(ranking_stability=pl.col("thirds").sum() / (_THIRDS * pl.len()))


def _metric_variance(runs: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    values = (
        leaves.drop_nulls("value")
        .join(runs.select("run_id", "group_id"), on="run_id")
        .select("group_id", "key", "value")
        .sort("group_id", "key", "value")
    )
    keys = values.group_by("group_id", "key", maintain_order=True).agg(size=pl.len())
    values = values.join(
        keys.filter(pl.col("size") > 1), on=["group_id", "key"], how="semi", maintain_order="left"
    )
    keys = keys.filter(pl.col("size") > 1).with_columns(
        inverse=pl.Series(inverse_variation(values["value"].to_numpy(), _starts(values, ["group_id", "key"])))
    )
    groups = keys.select("group_id").unique(maintain_order=True)
    means = segment_means(keys["inverse"].to_numpy(), _starts(keys, ["group_id"]))
    return groups.with_columns(metric_variance=pl.Series(means, dtype=pl.Float64))


def _starts(frame: pl.DataFrame, key: list[str]) -> Ints:
    """First row of each run of equal keys in a sorted frame."""
    return (
        frame.with_row_index("row")
        .group_by(key, maintain_order=True)
        .agg(pl.col("row").first())["row"]
        .to_numpy()
        .astype(np.int64)
    )
