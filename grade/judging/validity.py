"""Stage validity: how well judged checks agree with the labels of careful readers."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from grade.judging.intervals import (
    BINS,
    bin_of,
    calibration_error,
    calibration_interval,
    design_effect,
    wilson,
)
from grade.judging.tables import JUDGE_RELIABILITY, JUDGE_VALIDITY
from grade.schemas import RUN_KEY, check

LABEL_COLUMNS: Final[dict[str, pl.DataType]] = {
    "model_id": pl.String(),
    "task_id": pl.String(),
    "run_index": pl.Int64(),
    "claim_id": pl.String(),
    "label": pl.Boolean(),
}
"""A labelled check: the run, `fact:ID` or a claim id, and whether the answer states it."""

_COUNTS: Final = ("n_true_positive", "n_false_positive", "n_false_negative", "n_true_negative")
_MADE: Final = 0.5


class Validity(NamedTuple):
    """What labels tell about judges.

    Attributes:
        validity: JUDGE_VALIDITY.
        reliability: JUDGE_RELIABILITY.
        n_unknown: Labels on checks that the result does not have.
    """

    validity: pl.DataFrame
    reliability: pl.DataFrame
    n_unknown: int


def compare_labels(
    labels: pl.DataFrame, fact_checks: pl.DataFrame, claim_checks: pl.DataFrame, verdicts: pl.DataFrame
) -> Validity:
    """Compare verdicts, and the checks as they were scored, with labels.

    A verdict says that a check is stated when its unit score is above 0.5. Kinds are the
    checks' own, and `all`.

    Args:
        labels: `LABEL_COLUMNS`, each check once.
        fact_checks: FACT_CHECKS.
        claim_checks: CLAIM_CHECKS.
        verdicts: QUESTION_KEY, judge_id, unit_score and confidence.
    """
    scored = _as_scored(fact_checks, claim_checks)
    known = labels.join(scored, on=[*RUN_KEY, "claim_id"], how="semi", maintain_order="left")
    judged = verdicts.drop_nulls("claim_id").select(
        *RUN_KEY, "claim_id", "judge_id", "confidence", said=pl.col("unit_score") > _MADE
    )
    said = pl.concat([scored.select(judged.columns), judged])
    pairs = known.join(said, on=[*RUN_KEY, "claim_id"], how="inner").with_columns(
        kind=pl.col("claim_id").str.split(":").list.first()
    )
    pairs = pl.concat([pairs, pairs.with_columns(kind=pl.lit("all"))]).sort(
        "judge_id", "kind", *RUN_KEY, "claim_id", nulls_last=False
    )
    parts = pairs.partition_by("judge_id", "kind", maintain_order=True)
    validity = pl.DataFrame([_validity(part) for part in parts], schema=JUDGE_VALIDITY.dtypes)
    bins = [row for part in parts for row in _reliability(part)]
    reliability = pl.DataFrame(bins, schema=JUDGE_RELIABILITY.dtypes)
    return Validity(
        check(validity, JUDGE_VALIDITY, where="compare_labels"),
        check(reliability, JUDGE_RELIABILITY, where="compare_labels"),
        labels.height - known.height,
    )


def _as_scored(fact_checks: pl.DataFrame, claim_checks: pl.DataFrame) -> pl.DataFrame:
    """What the result says of every check; matching states no confidence."""
    facts = fact_checks.select(*RUN_KEY, claim_id=pl.concat_str(pl.lit("fact:"), "fact_id"), said="matched")
    claims = claim_checks.select(*RUN_KEY, "claim_id", said="made")
    return pl.concat([facts, claims]).with_columns(
        judge_id=pl.lit(None, pl.String), confidence=pl.lit(None, pl.Float64)
    )


def _validity(part: pl.DataFrame) -> dict[str, Any]:
    said, label = pl.col("said"), pl.col("label")
    cells = (said & label, said & ~label, ~said & label, ~said & ~label)
    by_run = part.group_by(RUN_KEY, maintain_order=True).agg(
        cell.sum().cast(pl.Int64).alias(name) for name, cell in zip(_COUNTS, cells, strict=True)
    )
    tp, fp, fn, tn = (by_run[name].to_numpy().astype(float) for name in _COUNTS)
    row: dict[str, Any] = {"judge_id": part["judge_id"][0], "kind": part["kind"][0]}
    row |= {"n_checks": part.height} | {name: by_run[name].sum() for name in _COUNTS}
    row |= _share("precision", tp, tp + fp)
    row |= _share("recall", tp, tp + fn)
    row |= _share("accuracy", tp + tn, tp + fp + fn + tn)
    # F1 = 2 J / (1 + J) with the Jaccard share J = TP / (TP + FP + FN), and rises with it.
    for name, value in _share("f1", tp, tp + fp + fn).items():
        row[name] = None if value is None else 2 * value / (1 + value)
    return row | _calibration(part)


def _share(name: str, parts: Any, wholes: Any) -> dict[str, float | None]:  # noqa: ANN401
    """A share with its interval; null over nothing."""
    total = wholes.sum()
    if total == 0:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    share = np.array([parts.sum() / total])
    low, high = wilson(share, np.array([total / design_effect(parts, wholes)]))
    return {name: float(share[0]), f"{name}_low": float(low[0]), f"{name}_high": float(high[0])}


def _calibration(part: pl.DataFrame) -> dict[str, Any]:
    stated = part.drop_nulls("confidence")
    row: dict[str, Any] = {"n_confident": stated.height}
    if stated.is_empty():
        return row
    confidence, correct = _confidence(stated)
    runs = stated.select(pl.struct(RUN_KEY).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    low, high = calibration_interval(confidence, correct, runs)
    told = {"calibration_error": calibration_error(confidence, correct)}
    told |= {"calibration_error_low": low, "calibration_error_high": high}
    return row | {name: None if np.isnan(value) else value for name, value in told.items()}


def _reliability(part: pl.DataFrame) -> list[dict[str, Any]]:
    stated = part.drop_nulls("confidence")
    if stated.is_empty():
        return []
    confidence, correct = _confidence(stated)
    place = bin_of(confidence)
    size = np.bincount(place, minlength=BINS).astype(float)
    used = np.flatnonzero(size)
    mean = np.bincount(place, confidence, BINS)[used] / size[used]
    accuracy = np.bincount(place, correct, BINS)[used] / size[used]
    low, high = wilson(accuracy, size[used])
    told = zip(used, size[used], np.clip(mean, 0, 1), accuracy, low, high, strict=True)
    return [
        {
            "judge_id": part["judge_id"][0],
            "kind": part["kind"][0],
            "bin": int(number),
            "bin_low": number / BINS,
            "bin_high": (number + 1) / BINS,
            "n_checks": int(n),
            "mean_confidence": float(stated_mean),
            "accuracy": float(right),
            "accuracy_low": float(lower),
            "accuracy_high": float(upper),
        }
        for number, n, stated_mean, right, lower, upper in told
    ]


def _confidence(stated: pl.DataFrame) -> tuple[Any, Any]:
    correct = (stated["said"] == stated["label"]).cast(pl.Float64)
    return stated["confidence"].to_numpy(), correct.to_numpy()
