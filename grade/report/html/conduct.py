"""Parts of a report on how the runs went: stability, cost, gaps, refused records, the method."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from grade.dimensions import DIMENSIONS, TITLES
from grade.report.html.charts import Point, axis_start, missing, scatter
from grade.report.html.data import ReportData
from grade.report.html.markup import Child, tag
from grade.report.html.standing import cost
from grade.report.html.tables import Cell, Heading, count, data_table, named, note, scored, shared, words
from grade.report.markdown import NOT_MEASURED
from grade.stats.bootstrap import LEVEL, N_RESAMPLES, SEED
from grade.stats.comparison import EXACT_UP_TO, N_PERMUTATIONS

_SHOWN: Final = 20


def stability(data: ReportData) -> Child:
    """Return the groups whose runs agree least."""
    if data.unstable.is_empty():
        return note("No task was answered more than once, so stability was not measured.")
    headings = [
        Heading("Model", is_number=False),
        Heading("Task", is_number=False),
        Heading("Consistency"),
        Heading("Findings", note="mean share of runs that hold each finding"),
        Heading("Their order", note="mean agreement of the order over pairs of runs"),
        Heading("Metrics", note="1 / (1 + coefficient of variation), mean over metrics"),
        Heading("Grounding, lowest"),
        Heading("Grounding, highest"),
        Heading("Runs"),
    ]
    keys = ("consistency", "finding_stability", "ranking_stability", "metric_variance")
    rows = [
        [
            named(row["model_id"]),
            words(row["task_id"]),
            *(scored(row[key]) for key in keys),
            scored(row["grounding_lowest"]),
            scored(row["grounding_highest"]),
            count(row["n_runs"]),
        ]
        for row in data.unstable.head(_SHOWN).rows(named=True)
    ]
    return [
        note(f"The {len(rows)} groups of runs that agree least, of {data.unstable.height:,}."),
        data_table(headings, rows, label="Least stable tasks"),
    ]


def spending(data: ReportData) -> Child:
    """Return cost against quality, over the models whose runs report a cost."""
    rows = data.leaderboard.with_columns(per_run=pl.col("cost_usd") / pl.col("n_costs"))
    known = rows.filter(pl.col("n_costs") > 0, pl.col("composite").is_not_null())
    numbers = {model: place for place, model in enumerate(data.models, start=1)}
    points = [
        Point(numbers[row["model_id"]], _told(row), row["per_run"], row["composite"])
        for row in known.rows(named=True)
    ]
    headings = [
        Heading("No."),
        Heading("Model", is_number=False),
        Heading("Composite"),
        Heading("Cost, USD"),
        Heading("Cost of a run, USD"),
        Heading("Latency, ms"),
    ]
    cells = [
        [Cell(str(numbers[row["model_id"]]), numbers[row["model_id"]]), *_spent(row)]
        for row in rows.rows(named=True)
    ]
    chart = scatter(
        points,
        x_title="cost of a run, USD",
        y_title="composite",
        start=axis_start([point.y for point in points]),
    )
    return [
        chart if points else note("No run reports a cost."),
        data_table(headings, cells, label="Cost, latency and quality"),
    ]


def _told(row: dict[str, Any]) -> str:
    return f"{row['model_id']}: composite {row['composite']:.3f}, {row['per_run']:.4f} USD a run"


def _spent(row: dict[str, Any]) -> list[Cell]:
    return [
        named(row["model_id"]),
        scored(row["composite"]),
        cost(row),
        Cell(missing(row["per_run"], "{:.4f}"), row["per_run"]),
        Cell(missing(row["mean_latency_ms"], "{:,.0f}"), row["mean_latency_ms"]),
    ]


def gaps(data: ReportData) -> Child:
    """Return what was not measured, for each model."""
    missing_tasks = pl.col("task_id").filter(~pl.col("is_answered"))
    unscored = [
        pl.col("not_measured").filter("is_answered").list.contains(key).sum().alias(key) for key in DIMENSIONS
    ]
    rows = (
        data.coverage.group_by("model_id")
        .agg(
            missing_tasks.len().alias("n_missing"),
            missing_tasks.sort().head(_SHOWN).alias("missing"),
            *unscored,
            open_claims=pl.col("n_claims").sum() - pl.col("n_claims_settled").sum(),
            n_claims=pl.col("n_claims").sum(),
        )
        .rows(named=True)
    )
    found = {row["model_id"]: row for row in rows}
    headings = [
        Heading("Model", is_number=False),
        Heading("Tasks not answered"),
        *(Heading(f"Tasks without {TITLES[key].lower()}") for key in DIMENSIONS),
        Heading("Claim checks not judged"),
    ]
    cells = [_gap(found[model]) for model in data.models if model in found]
    return [
        note("What is not measured is left out of every mean, and never counted as 0 or 1."),
        data_table(headings, cells, label="What was not measured"),
    ]


def _gap(row: dict[str, Any]) -> list[Cell]:
    listed = tag("small", ", ".join(row["missing"])) if row["missing"] else None
    share = row["open_claims"] / row["n_claims"] if row["n_claims"] else None
    return [
        named(row["model_id"]),
        Cell([str(row["n_missing"]), listed], row["n_missing"]),
        *(count(row[key]) for key in DIMENSIONS),
        shared(share),
    ]


def refused(data: ReportData) -> Child:
    """Return the refused records: how many for each reason, and the first of them."""
    if data.rejects.is_empty():
        return note("No record was refused.")
    reasons = data.rejects.group_by("reason").len("n").sort("n", "reason", descending=[True, False])
    headings = [
        Heading("File", is_number=False),
        Heading("Line"),
        Heading("Reason", is_number=False),
        Heading("Detail", is_number=False),
    ]
    rows = [
        [named(row["file"] or NOT_MEASURED), count(row["line"]), words(row["reason"]), words(row["detail"])]
        for row in data.rejects.head(_SHOWN).rows(named=True)
    ]
    summed = ", ".join(f"{row['n']:,} × {row['reason']}" for row in reasons.rows(named=True))
    return [
        note(f"{data.rejects.height:,} records were refused: {summed}. The first of them:", kind="warning"),
        data_table(headings, rows, label="Refused records"),
    ]


def method(data: ReportData) -> Child:
    """Return the settings, weights and versions that the numbers depend on, and what was read."""
    manifest = data.manifest
    used = manifest.get("method", {})
    weights = used.get("weights", {})
    pairs = [
        ("Weights", ", ".join(f"{TITLES.get(key, key)} {value} %" for key, value in weights.items())),
        (
            "Intervals",
            f"{LEVEL:.0%}, percentile bootstrap over tasks, {N_RESAMPLES:,} resamples, seed {SEED}",
        ),
        (
            "Tests",
            f"paired permutation, {N_PERMUTATIONS:,} sign flips (all up to {EXACT_UP_TO} tasks), Holm",
        ),
        *((f"Setting {name}", str(value)) for name, value in used.get("settings", {}).items()),
        ("Settings hash", str(used.get("sha256", NOT_MEASURED))),
        (
            "grade",
            f"{manifest.get('grade_version', NOT_MEASURED)}, tables {manifest.get('schema_version', '')}",
        ),
        ("Versions", ", ".join(f"{name} {value}" for name, value in manifest.get("versions", {}).items())),
        ("Scored", str(manifest.get("started_utc", NOT_MEASURED))),
    ]
    inputs = [
        (f"Input: {kind}", f"{about.get('n_files', 0)} files, sha256 {about.get('sha256', '')}")
        for kind, about in manifest.get("inputs", {}).items()
    ]
    return tag("dl", ([tag("dt", name), tag("dd", value)] for name, value in (*pairs, *inputs)))
