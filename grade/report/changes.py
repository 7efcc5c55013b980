"""The change report in Markdown: what differs between two results, the weightiest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from grade.report.markdown import NOT_MEASURED, escape, number, quote, score, table

SHOWN: Final = 40
"""Most entries that a section lists; the rest is in the section's table."""

READ: Final = 1_000
"""Rows of a table that a section is made of: enough for as many entries, several runs each."""

_SCOPES: Final = {"pack": "pack_id", "track": "track", "task": "task_id"}
_COUNTED: Final = (
    "n_facts_gained",
    "n_facts_lost",
    "n_claims_better",
    "n_claims_worse",
    "n_decisions_changed",
)
_Render = Callable[[Mapping[str, Any]], Iterable[str]]
_STATES: Final = {True: "found", False: "missed"}
_MADE: Final = {True: "made", False: "not made"}


@dataclass(frozen=True, slots=True)
class Listing:
    """The first rows of a table, and how many it has.

    Attributes:
        rows: At most `READ` rows.
        n_rows: All rows.
    """

    rows: pl.DataFrame
    n_rows: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What a change report says.

    Attributes:
        names: The two result folders.
        inputs: What the two results were made with and where that differs: name, old, new.
        runs: Runs by what became of them, in words.
        only_old: Models that only the old result has.
        only_new: Models that only the new result has.
        models: MODEL_CHANGES.
        summary: CHANGE_SUMMARY.
        facts: FACT_FLIPS.
        claims: CLAIM_FLIPS.
        decisions: DECISION_FLIPS.
        n_scores: Rows of SCORE_CHANGES.
    """

    names: tuple[str, str]
    inputs: Sequence[tuple[str, str, str]]
    runs: Mapping[str, int]
    only_old: Sequence[str]
    only_new: Sequence[str]
    models: pl.DataFrame
    summary: pl.DataFrame
    facts: Listing
    claims: Listing
    decisions: Listing
    n_scores: int


def render_changes(changes: Changes) -> str:
    """Return the report as Markdown."""
    old, new = map(escape, changes.names)
    lines = [
        f"# What changed from {old} to {new}",
        "",
        *_counts(changes),
        *_inputs(changes),
        *_models(changes),
        *(line for scope in _SCOPES for line in _scope(changes.summary, scope)),
        *_flips("Decisions that changed", changes.decisions, "decision_flips", _decision_lines),
        *_flips("Facts that changed", changes.facts, "fact_flips", _fact_lines),
        *_flips("Claims that changed", changes.claims, "claim_flips", _claim_lines),
    ]
    return "\n".join(lines) + "\n"


def count_changes(changes: Changes) -> dict[str, int]:
    """Return how much of what changed, in words; all are 0 when nothing did."""
    moved = changes.models.filter(pl.col("old_rank").ne_missing(pl.col("new_rank")))
    beyond = changes.models.filter("is_beyond_noise")
    return {
        **changes.runs,
        "models in one result only": len(changes.only_old) + len(changes.only_new),
        "facts that changed": changes.facts.n_rows,
        "claims that changed": changes.claims.n_rows,
        "decisions that changed": changes.decisions.n_rows,
        "scores that changed": changes.n_scores,
        "models whose rank changed": moved.height,
        "models whose composite changed beyond noise": beyond.height,
    }


def _counts(changes: Changes) -> list[str]:
    rows = [[name.capitalize(), f"{count:,}"] for name, count in count_changes(changes).items()]
    told = [
        f"Only {escape(name)} has {len(models):,} of the models: {_some(models)}."
        for name, models in zip(changes.names, (changes.only_old, changes.only_new), strict=True)
        if models
    ]
    return [*table(["What", "How many"], rows), *(line for text in told for line in ("", text))]


def _inputs(changes: Changes) -> list[str]:
    if not changes.inputs:
        return ["", "Both results were made with the same inputs, settings and versions."]
    rows = [[escape(cell) for cell in row] for row in changes.inputs]
    return ["", "## What they were made with", "", *table(["", "Old", "New"], rows, n_text=3)]


def _models(changes: Changes) -> list[str]:
    """The models with the largest changes first."""
    moved = changes.models.filter(
        pl.col("change").fill_null(1.0) != 0, pl.col("old_composite").ne_missing(pl.col("new_composite"))
    ).sort(pl.col("change").abs(), "model_id", descending=[True, False], nulls_last=True)
    if moved.is_empty():
        return ["", "## Models", "", "No model's composite changed."]
    headings = ["Model", "Noise?", "Old", "New", "Change", "95 % interval", "p (Holm)", "Tasks", "Rank"]
    rows = [_model_row(row) for row in moved.head(SHOWN).rows(named=True)]
    note = (
        "The interval and p are of the paired test over tasks whose composites are made of the same"
        " dimensions in both results. Ranks hold within sections of models that compare."
    )
    return [
        "",
        "## Models",
        "",
        note,
        "",
        *table(headings, rows, n_text=2),
        *_more(moved.height, "model_changes"),
    ]


def _model_row(row: Mapping[str, Any]) -> list[str]:
    noise = {True: "beyond noise", False: "may be noise", None: "no test"}[row["is_beyond_noise"]]
    interval = NOT_MEASURED if row["low"] is None else f"{row['low']:+.3f} to {row['high']:+.3f}"
    p = NOT_MEASURED if row["p_holm"] is None else f"{row['p_holm']:.3f}"
    ranks = [str(row[f"{age}_rank"] or NOT_MEASURED) for age in ("old", "new")]
    rank = ranks[0] if ranks[0] == ranks[1] else " → ".join(ranks)
    composites = [score(row["old_composite"]), score(row["new_composite"]), _signed(row["change"])]
    return [escape(row["model_id"]), noise, *composites, interval, p, str(row["n_measured"]), rank]


def _scope(summary: pl.DataFrame, scope: str) -> list[str]:
    """The tasks, tracks or packs with changes, those with the largest mean change first."""
    changed = summary.filter(pl.col("scope") == scope, pl.col("n_groups_changed") > 0).sort(
        pl.col("mean_change").abs(), _SCOPES[scope], descending=[True, False], nulls_last=True
    )
    if changed.is_empty():
        return []
    headings = [
        scope.capitalize(),
        "Groups",
        "Changed",
        "Mean change",
        "Facts found",
        "Facts lost",
        "Claims better",
        "Claims worse",
        "Decisions",
    ]
    rows = [
        [
            escape(str(row[_SCOPES[scope]])),
            f"{row['n_groups']:,}",
            f"{row['n_groups_changed']:,}",
            _signed(row["mean_change"]),
            *(f"{row[name]:,}" for name in _COUNTED),
        ]
        for row in changed.head(SHOWN).rows(named=True)
    ]
    return ["", f"## By {scope}", "", *table(headings, rows), *_more(changed.height, "change_summary")]


def _flips(title: str, listing: Listing, name: str, render: _Render) -> list[str]:
    """The flips that are the same in several runs of a group are one entry."""
    if not listing.n_rows:
        return ["", f"## {title}", "", "None."]
    entries = _over_runs(listing.rows).head(SHOWN)
    lines = [line for row in entries.rows(named=True) for line in render(row)]
    left = listing.n_rows - entries["n_rows"].sum()
    more = ["", f"{left:,} more rows in {name}.parquet"] if left else []
    return ["", f"## {title}", "", *lines, *more]


def _over_runs(rows: pl.DataFrame) -> pl.DataFrame:
    if "run_index" not in rows.columns:
        return rows.with_columns(n_rows=pl.lit(1))
    same = [name for name in rows.columns if name != "run_index"]
    return rows.group_by(same, maintain_order=True).agg("run_index", n_rows=pl.len())


def _decision_lines(row: Mapping[str, Any]) -> Iterable[str]:
    where = (
        f"{escape(row['model_id'])}, {escape(row['task_id'])}" if row["task_id"] else escape(row["model_id"])
    )
    yield f"- {where}: {escape(row['old_status'])} → {escape(row['new_status'])}"
    for age in ("old", "new"):
        yield f"  - {age} ({escape(row[f'{age}_rule'])}): {escape(row[f'{age}_rationale'])}"


def _fact_lines(row: Mapping[str, Any]) -> Iterable[str]:
    states = [_STATES[row[f"{age}_matched"]] for age in ("old", "new")]
    yield f"- {_run(row)}, {escape(row['fact_id'])}: {' → '.join(states)}"
    for age, state in zip(("old", "new"), states, strict=True):
        gold = row[f"{age}_gold_value"]
        sought = "" if gold is None else f", sought {number(gold)}"
        yield f"  - {age}: {state}{sought}{_shown(row[f'{age}_evidence'], row[f'{age}_source'])}"


def _claim_lines(row: Mapping[str, Any]) -> Iterable[str]:
    yield f"- {_run(row)}, {escape(row['claim_id'])}: {_MADE[row['old_made']]} → {_MADE[row['new_made']]}"
    old, new = row["old_claim_text"] or "", row["new_claim_text"] or ""
    yield f"  - claim: {quote(old)}" if old == new else f"  - claim: {quote(old)}, now {quote(new)}"
    for age in ("old", "new"):
        why = f", {escape(row[f'{age}_reason'])}" if row[f"{age}_reason"] else ""
        yield f"  - {age} ({row[f'{age}_status']}{why}){_shown(row[f'{age}_evidence'], row[f'{age}_field'])}"


def _run(row: Mapping[str, Any]) -> str:
    indexes = row["run_index"]
    runs = f"run{'s' * (len(indexes) > 1)} {', '.join(map(str, indexes))}"
    return f"{escape(row['model_id'])}, {escape(row['task_id'])}, {runs}"


def _shown(evidence: str | None, place: str | None) -> str:
    if not evidence:
        return ""
    return f": {quote(evidence)}" + (f" ({escape(place)})" if place else "")


def _signed(value: float | None) -> str:
    return NOT_MEASURED if value is None else f"{value:+.3f}"


def _more(n_rows: int, name: str) -> list[str]:
    return ["", f"{n_rows - SHOWN:,} more in {name}.parquet"] if n_rows > SHOWN else []


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(escape(name) for name in names[:SHOWN]) + more
