"""Subgroup tables, with small subgroups suppressed, counts and all.

A subgroup of fewer students than the program's minimum is suppressed. Where the suppressed rows of
a total have fewer students than the minimum together, the next smallest rows are suppressed as
well: else subtraction would give them away.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pipelines.packs.program.plan import Plan

_KEYS = ("dimension", "subgroup")
_LAST_ELEMENTARY_GRADE = 5


def label_subgroups(students: pl.DataFrame) -> pl.DataFrame:
    """Return one row per student and dimension: student_id, school_id, dimension, subgroup."""
    yes_no = {
        "iep": ("students with an IEP", "peers"),
        "meal_support": ("students with meal support", "students who pay for meals"),
        "temporary_housing": ("students in temporary housing", "students in settled housing"),
    }
    labels = students.select(
        "student_id",
        "school_id",
        home_language=pl.col("home_language"),
        grade_band=pl.when(pl.col("grade") <= _LAST_ELEMENTARY_GRADE)
        .then(pl.lit("grades 2-5"))
        .otherwise(pl.lit("grades 6-8")),
        **{
            name: pl.when(pl.col(name)).then(pl.lit(yes)).otherwise(pl.lit(other))
            for name, (yes, other) in yes_no.items()
        },
    )
    return labels.unpivot(
        index=["student_id", "school_id"], variable_name="dimension", value_name="subgroup"
    ).with_columns(pl.col("dimension").cast(pl.String))


def suppress(
    counted: pl.DataFrame, *, families: Sequence[Sequence[str]], minimum: int, keys: Sequence[str]
) -> pl.DataFrame:
    """Return a table with `status`, and every number of a suppressed row removed.

    Args:
        counted: One row per subgroup with its `students`.
        families: For each kind of total that is known elsewhere, the columns whose equal values
            make a family of rows that sum to one.
        minimum: Smallest number of students that may be shown, or be what a family hides.
        keys: Columns that stay in suppressed rows.
    """
    marked = counted.with_columns(hidden=pl.col("students") < minimum)
    for family in families:
        marked = marked.with_columns(hidden=_protected(family, minimum))
    hidden = pl.col("hidden")
    return marked.with_columns(
        pl.when(~hidden).then(pl.col(name)).alias(name) for name in counted.columns if name not in keys
    ).select(
        *counted.columns, status=pl.when(hidden).then(pl.lit("suppressed")).otherwise(pl.lit("reported"))
    )


def _protected(family: Sequence[str], minimum: int) -> pl.Expr:
    """Hide the smallest rows of a family until those hidden have the minimum of students together."""
    order = [~pl.col("hidden"), pl.col("students")]
    before = pl.col("students").cum_sum().over(family, order_by=order) - pl.col("students")
    return pl.col("hidden") | (pl.col("hidden").any().over(family) & (before < minimum))


def make_subgroup_attendance(plan: Plan, records: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return one row per subgroup: students, attendance records, attended records and minutes."""
    counted = _count(records, labels, _KEYS)
    return suppress(counted, families=[["dimension"]], minimum=_minimum(plan), keys=_KEYS)


def make_subgroup_months(plan: Plan, records: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return one row per subgroup and month; what the whole term hides is hidden in each month."""
    shown = make_subgroup_attendance(plan, records, labels).select(*_KEYS, "status")
    monthly = _count(records, labels, (*_KEYS, "month")).drop("minutes")
    joined = monthly.join(shown, on=_KEYS, maintain_order="left")
    numbers = ("students", "records", "attended")
    return joined.with_columns(
        pl.when(pl.col("status") == "reported").then(pl.col(name)).alias(name) for name in numbers
    )


def make_school_iep(plan: Plan, records: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return one row per school and IEP status: students, records and attended records."""
    iep = labels.filter(pl.col("dimension") == "iep")
    counted = _count(records, iep, ("school_id", "subgroup")).drop("minutes")
    return suppress(
        counted,
        families=[["subgroup"], ["school_id"]],
        minimum=_minimum(plan),
        keys=("school_id", "subgroup"),
    )


def make_subgroup_outcomes(plan: Plan, progress: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return one row per subgroup: tested students and the sums of their scores."""
    counted = (
        labels.drop("school_id")
        .join(progress, on="student_id")
        .group_by(_KEYS)
        .agg(
            students=pl.len().cast(pl.Int64),
            fall_score_sum=pl.col("fall_score").sum(),
            winter_score_sum=pl.col("winter_score").sum(),
        )
        .sort(_KEYS)
    )
    return suppress(counted, families=[["dimension"]], minimum=_minimum(plan), keys=_KEYS)


def _count(records: pl.DataFrame, labels: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    return (
        labels.join(records, on="student_id")
        .group_by(keys)
        .agg(
            students=pl.col("student_id").n_unique().cast(pl.Int64),
            records=pl.len().cast(pl.Int64),
            attended=pl.col("attended").sum().cast(pl.Int64),
            minutes=pl.col("minutes_present").sum(),
        )
        .sort(keys)
    )


def _minimum(plan: Plan) -> int:
    return int(plan.goals["minimum_subgroup"])
