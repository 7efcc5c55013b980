"""Stage findings: what checks and judges found about the runs of a batch, with severity and evidence."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from grade.dimensions import CALIBRATION, EVIDENCE, GROUNDING, INSIGHT, STRUCTURE
from grade.schemas import FINDING_COUNTS, FINDINGS, RUN_KEY, check


class Kind(NamedTuple):
    """A finding that the scorer makes by rule.

    Attributes:
        dimension: Whose category it concerns.
        severity: How grave it is.
        title: What was found, in words.
        advice: What to do about it.
    """

    dimension: str
    severity: str
    title: str
    advice: str


KINDS: Final[dict[str, Kind]] = {
    "forbidden_claim_made": Kind(
        CALIBRATION,
        "high",
        "A claim that the data cannot support is made",
        "Take the claim out, or say that the data does not support it.",
    ),
    "fabricated_citation": Kind(
        EVIDENCE,
        "high",
        "A citation names a file or column that does not exist for the task",
        "Cite the file and column that the value was computed from.",
    ),
    "fabricated_identifier": Kind(
        EVIDENCE,
        "high",
        "An identifier is named that does not occur in the data",
        "Name only schools, tutors, groups and students that the data holds.",
    ),
    "evidence_gate": Kind(
        EVIDENCE,
        "high",
        "The answer names no identifier or no rate, which track 3 requires",
        "Name the identifiers and rates that the recommendation rests on.",
    ),
    "limitation_missing": Kind(
        CALIBRATION, "medium", "A required limitation is missing", "State the limitation in the answer."
    ),
    "truncated_output": Kind(
        STRUCTURE,
        "medium",
        "The answer was cut off at the length limit",
        "Ask again with a higher limit, or for a shorter answer.",
    ),
    "forbidden_inconclusive": Kind(
        CALIBRATION,
        "low",
        "A sentence may make a claim that the data cannot support",
        "Have a person or a judge read the sentence.",
    ),
}
"""Every finding by rule, by its code."""

_OF_CLAIM: Final = {
    "insight": INSIGHT,
    "limitation": CALIBRATION,
    "forbidden": CALIBRATION,
    "fact": GROUNDING,
}


def make_findings(
    runs: pl.DataFrame,
    claim_checks: pl.DataFrame,
    citation_checks: pl.DataFrame,
    run_scores: pl.DataFrame,
    verdicts: pl.DataFrame,
    gold_claims: pl.DataFrame,
) -> pl.DataFrame:
    """Collect the findings about a batch of runs.

    Args:
        runs: RUNS, or its key and finish_reason.
        claim_checks: CLAIM_CHECKS.
        citation_checks: CITATION_CHECKS.
        run_scores: RUN_SCORES.
        verdicts: VERDICTS; a finding on a claim belongs to the claim's dimension.
        gold_claims: task_id, claim_id and claim_text of the catalogue's claims.

    Returns:
        FINDINGS.
    """
    parts = [
        *_about_claims(claim_checks, gold_claims),
        *_about_citations(citation_checks),
        _by_rule("evidence_gate", run_scores.filter(_is_gated())),
        _by_rule("truncated_output", runs.filter(pl.col("finish_reason") == "length")),
        _by_judges(verdicts),
    ]
    return check(pl.concat(parts).sort(FINDINGS.key, nulls_last=False), FINDINGS, where="make_findings")


def count_findings(findings: pl.DataFrame) -> pl.DataFrame:
    """Count the findings of each group by dimension and severity.

    Args:
        findings: FINDINGS of whole groups.

    Returns:
        FINDING_COUNTS of the groups.
    """
    counts = (
        findings.rename({"dimension": "category_id"})
        .group_by(FINDING_COUNTS.key)
        .agg(n_findings=pl.len().cast(pl.Int64))
        .select(FINDING_COUNTS.columns)
    )
    return check(counts.sort(FINDING_COUNTS.key), FINDING_COUNTS, where="count_findings")


def add_model_counts(counts: pl.DataFrame) -> pl.DataFrame:
    """Add the counts of each model (task_id null) to those of its groups.

    Args:
        counts: FINDING_COUNTS of groups.

    Returns:
        FINDING_COUNTS.
    """
    of_models = (
        counts.group_by("model_id", "category_id", "severity")
        .agg(pl.col("n_findings").sum())
        .with_columns(pl.lit(None, pl.String).alias("task_id"))
        .select(FINDING_COUNTS.columns)
    )
    rows = pl.concat([of_models, counts]).sort(FINDING_COUNTS.key, nulls_last=False)
    return check(rows, FINDING_COUNTS, where="add_model_counts")


def _about_claims(claim_checks: pl.DataFrame, gold_claims: pl.DataFrame) -> list[pl.DataFrame]:
    named = claim_checks.join(gold_claims, on=["task_id", "claim_id"], how="left", maintain_order="left")
    is_forbidden = pl.col("kind") == "forbidden"
    described = pl.format("{}: {}", "claim_id", "claim_text")
    unjudged = pl.col("status").is_in(["none", "inconclusive"]) & (
        pl.col("reason").fill_null("") != "empty_response"
    )
    missing = KINDS["limitation_missing"].title
    return [
        _by_rule(
            "forbidden_claim_made",
            named.filter(is_forbidden & pl.col("made")),
            evidence=pl.col("evidence"),
            description=described,
        ),
        _by_rule(
            "limitation_missing",
            named.filter((pl.col("kind") == "limitation") & ~pl.col("made")),
            evidence=pl.col("evidence"),
            description=described,
            title=pl.when(unjudged)
            .then(pl.lit(f"{missing}, as far as matching can tell"))
            .otherwise(pl.lit(missing)),
        ),
        _by_rule(
            "forbidden_inconclusive",
            named.filter(is_forbidden & (pl.col("status") == "inconclusive")),
            evidence=pl.col("evidence"),
            description=described,
        ),
    ]


def _about_citations(citation_checks: pl.DataFrame) -> list[pl.DataFrame]:
    wrong_place = ~pl.col("file_allowed").fill_null(value=True) | ~pl.col("column_exists").fill_null(
        value=True
    )
    place = pl.concat_str(pl.col("source_file"), pl.col("source_column"), separator=", ", ignore_nulls=True)
    unknown = citation_checks.explode("unknown_ids", empty_as_null=False).drop_nulls("unknown_ids")
    first = unknown.sort(*RUN_KEY, "citation_no").unique(
        [*RUN_KEY, "unknown_ids"], keep="first", maintain_order=True
    )
    return [
        _by_rule(
            "fabricated_citation",
            citation_checks.filter(wrong_place),
            evidence=pl.col("citation"),
            description=place,
        ),
        _by_rule(
            "fabricated_identifier", first, evidence=pl.col("citation"), description=pl.col("unknown_ids")
        ),
    ]


def _is_gated() -> pl.Expr:
    return (pl.col("dimension") == EVIDENCE) & pl.col("flags").list.contains("evidence_gate")


def _by_rule(
    code: str,
    rows: pl.DataFrame,
    *,
    evidence: pl.Expr | None = None,
    description: pl.Expr | None = None,
    title: pl.Expr | None = None,
) -> pl.DataFrame:
    kind = KINDS[code]
    nothing = pl.lit(None, pl.String)
    return rows.select(
        *RUN_KEY,
        dimension=pl.lit(kind.dimension),
        severity=pl.lit(kind.severity),
        code=pl.lit(code),
        title=pl.lit(kind.title) if title is None else title,
        evidence=nothing if evidence is None else evidence,
        description=nothing if description is None else description,
        judge_id=nothing,
    )


def _by_judges(verdicts: pl.DataFrame) -> pl.DataFrame:
    of_claim = pl.col("claim_id").str.split(":").list.first()
    found = (
        verdicts.select(
            *RUN_KEY,
            "judge_id",
            dimension=pl.coalesce(
                "dimension", of_claim.replace_strict(_OF_CLAIM, default=None, return_dtype=pl.String)
            ),
            finding="findings",
        )
        .explode("finding", empty_as_null=False)
        .drop_nulls("finding")
        .unnest("finding")
    )
    return found.with_columns(evidence=pl.lit(None, pl.String)).select(FINDINGS.columns)
