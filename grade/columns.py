"""Every column of every table, once: its type, what it says, its unit and its bounds.

`grade.schemas` builds the tables from these; the table reference in `docs/` and the notes in
the Parquet files are generated from them. A column has one meaning wherever it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl
from polars._typing import PolarsDataType

from grade.dimensions import DIMENSIONS, TITLES

TEXTS: Final = pl.List(pl.String)
CITATIONS: Final = pl.List(
    pl.Struct(
        {
            "citation_text": pl.String,
            "source_file": pl.String,
            "source_column": pl.String,
            "grounded": pl.Boolean,
        }
    )
)
FINDINGS: Final = pl.List(
    pl.Struct({"severity": pl.String, "title": pl.String, "description": pl.String, "code": pl.String})
)


@dataclass(frozen=True, slots=True)
class Column:
    """What one column holds.

    Attributes:
        dtype: The polars type, the same in every table.
        note: One sentence for the data dictionary.
        unit: The unit of a number, empty where it has none.
        bounds: Smallest and largest value allowed, both included.
        values: The fixed set of values allowed.
    """

    dtype: PolarsDataType
    note: str
    unit: str = ""
    bounds: tuple[float, float] | None = None
    values: tuple[str, ...] | None = None


def _score(note: str) -> Column:
    return Column(pl.Float64, note, unit="score", bounds=(0.0, 1.0))


def _count(note: str) -> Column:
    return Column(pl.Int64, note, unit="count", bounds=(0, 2**62))


def _text(note: str, *values: str) -> Column:
    return Column(pl.String, note, values=values or None)


COLUMNS: Final[dict[str, Column]] = {
    # keys
    "model_id": _text("The model that answered."),
    "task_id": _text("The task that was answered."),
    "run_index": Column(pl.Int64, "Which of the model's answers to the task this is, from 0."),
    "pack_id": _text("The pack that the task belongs to."),
    "track": Column(pl.Int64, "The track that the task belongs to.", bounds=(1, 5)),
    "fact_id": _text("The gold fact, by its name within the task."),
    "claim_id": _text("The claim: insight:N, limitation:N or forbidden:N, N counting from 0 in the task."),
    "dimension": _text("The scored dimension.", *DIMENSIONS),
    # the answer
    "key_findings": Column(TEXTS, "The answer's findings, in its own order."),
    "limitations": Column(TEXTS, "The caveats that the answer states."),
    "structured_metrics": _text("The answer's metrics, as JSON text."),
    "evidence_citations": Column(CITATIONS, "The sources that the answer names."),
    "raw_response_text": _text("The whole answer as the model wrote it."),
    "adapter_version": _text("Version of the program that collected the answer."),
    "timestamp_utc": _text("When the answer was made, RFC 3339."),
    "latency_ms": Column(pl.Float64, "How long the model took to answer.", unit="ms"),
    "prompt_tokens": _count("Tokens of the prompt."),
    "completion_tokens": _count("Tokens of the answer."),
    "cost_usd": Column(pl.Float64, "What the answer cost; 0 is free, null is unknown.", unit="USD"),
    "model_temperature": Column(pl.Float64, "Sampling temperature."),
    "provider": _text("Who served the model."),
    "finish_reason": _text("Why the model stopped; 'length' means cut off."),
    "content_hash": _text("Hash of the answer's content, to tell equal copies."),
    "input_flags": Column(TEXTS, "What reading the record had to mend, for example null_entry_dropped."),
    # refused records
    "file": _text("The file that the record stands in."),
    "line": Column(pl.Int64, "Line of the record, from 1; null for Parquet.", bounds=(1, 2**62)),
    "byte_offset": Column(pl.Int64, "Where the record begins in the uncompressed file.", unit="bytes"),
    "reason": _text("Why, as a fixed code."),
    "detail": _text("The reason in words."),
    "raw": _text("The first 2,000 bytes of the record."),
    # checks
    "score": _score("1 when the check is passed, else 0; for a dimension its score, null when not measured."),
    "matched": Column(pl.Boolean, "The answer states the fact correctly."),
    "gold_value": Column(pl.Float64, "The right value; null for a fact without a number."),
    "tolerance": Column(pl.Float64, "How far a value may lie from gold, absolute."),
    "predicted_value": Column(pl.Float64, "The answer's value that matched, on gold's scale."),
    "source": _text("Where the decision comes from: a field of the answer, rule or judge."),
    "evidence": _text("The sentence or metric key that decided."),
    "method": _text(
        "How the fact was recognised.",
        "as_stated",
        "divided_by_100",
        "times_100",
        "string_value",
        "quantities",
        "words",
        "judge",
    ),
    "kind": _text("What the claim is to the task.", "insight", "limitation", "forbidden"),
    "made": Column(pl.Boolean, "The answer makes the claim."),
    "status": _text(
        "How the claim was settled; none means that nothing settled it.",
        "contained",
        "overlap",
        "inconclusive",
        "judge",
        "none",
    ),
    "similarity": _score("Jaccard similarity of the two token sets."),
    "field": _text("The field of the answer that the evidence stands in."),
    "citation": _text("The citation as written."),
    "citation_no": _count("Position of the citation in the answer, from 0."),
    "source_file": _text("The file that the citation names."),
    "source_column": _text("The column that the citation names."),
    "file_allowed": Column(pl.Boolean, "The file is one of the task's inputs; null when none is named."),
    "column_exists": Column(pl.Boolean, "The file has that column; null when that cannot be told."),
    "unknown_ids": Column(TEXTS, "Identifiers that do not occur in the pack's data."),
    "grounded": Column(
        pl.Boolean, "Nothing about the citation is wrong; null when nothing could be checked."
    ),
    "flags": Column(TEXTS, "Fixed codes of what a reader should know about the row, sorted."),
    # consistency
    "finding_stability": _score("Mean share of runs that hold each unique finding."),
    "ranking_stability": _score("Mean agreement of the findings' order over pairs of runs."),
    "metric_variance": _score("Mean of 1 / (1 + CV) over metrics present in two runs or more."),
    # the six dimensions
    **{
        key: _score(f"{TITLES[key]}: mean of the scores beneath this row; null when not measured.")
        for key in DIMENSIONS
    },
    **{f"n_scored_{key}": _count(f"How many scores the mean of {key} is taken over.") for key in DIMENSIONS},
    # roll-ups
    "n_runs": _count("Runs in the row."),
    "n_tasks": _count("Tasks with at least one run in the row."),
    "task_coverage": _score("Tasks with at least one run over the tasks in the catalogue."),
    "composite": _score("Weighted mean of the dimensions that are measured, with the locked weights."),
    "weight_scored": _score("Sum of the weights that the composite is made of; below 1 the row is partial."),
    "rubric_composite": _score("The composite with the task's own weights."),
    "claims_judged": _score("Settled claim checks over all claim checks; null when there are none."),
    "n_claims_settled": _count("Claim checks that a match or a verdict settled."),
    "n_claims": _count("All claim checks."),
    # verdicts
    "judge_id": _text("Who judged; human:NAME is a person."),
    "int_score": Column(pl.Int64, "The integer score, 1 to 5.", bounds=(1, 5)),
    "numeric_score": _score("The verdict as a number."),
    "confidence": _score("How sure the judge is."),
    "reasoning": _text("The judge's reasons."),
    "findings": Column(FINDINGS, "Findings that came with the verdict."),
    "unit_score": _score("The verdict on the unit scale."),
    "category": _text("The verdict as a category.", "pass", "partial", "fail"),
    # the catalogue
    "title": _text("The task's title."),
    "task_type": _text("What kind of question the task asks."),
    "user_prompt": _text("The question as the model gets it."),
    "allowed_inputs": Column(TEXTS, "The data files that the task may use."),
    **{f"weight_{key}": _score(f"The task rubric's own weight of {key}.") for key in DIMENSIONS},
    **{f"guidance_{key}": _text(f"The task rubric's guidance for {key}.") for key in DIMENSIONS},
    # inside the scorer: rows of one batch
    "run_id": Column(pl.UInt32, "The run, numbered within the batch."),
    "group_id": Column(pl.UInt32, "The (model, task) group, numbered within the batch."),
    "task_no": Column(pl.UInt32, "The task, by its place in the catalogue sorted by id."),
    "fact_no": Column(pl.UInt32, "The gold fact, numbered over the whole catalogue."),
    "claim_no": Column(pl.UInt32, "The claim, numbered over the whole catalogue."),
    "text_no": Column(pl.UInt32, "The gold text, numbered over the whole catalogue."),
    "string_text_no": Column(pl.UInt32, "The gold text that holds the fact's string value."),
    "sought_no": Column(pl.UInt32, "A value that a fact wants stated, numbered over the whole catalogue."),
    "part": Column(pl.UInt32, "Which of the fact's sought values this is, in the order of its claim."),
    "mode": _text("How a fact is looked for.", "value", "string", "quantities", "words"),
    "slack": Column(pl.Float64, "How far a value may lie from gold, absolute.", bounds=(0, float("inf"))),
    "string_value": _text("The identifier that a fact wants named."),
    "metric_keys": Column(TEXTS, "Names of the metrics that hold the fact's value."),
    "has_cue": Column(pl.Boolean, "The claim itself holds a negation cue."),
    "value": Column(pl.Float64, "A value."),
    "may_divide": Column(pl.Boolean, "A hundredth of the stated value may be meant."),
    "may_multiply": Column(pl.Boolean, "A hundred times the stated value may be meant."),
    "entity_kind": _text("month, or an identifier's leading word and a hyphen."),
    "entity": _text("The entity: a month's code or an identifier."),
    "leaf_no": Column(pl.UInt32, "Place of the metric in the run, from 0, in document order."),
    "key": _text("The metric's key: its path, joined with dots."),
    "metric_text": _text("The metric as text; null for a number."),
    "is_percent": Column(pl.Boolean, "A percent sign or word belongs to the value."),
    "is_calibration": Column(pl.Boolean, "The insight is about uncertainty or scope."),
    "field_no": Column(pl.UInt8, "0 key_findings, 1 limitations, 2 raw_response_text."),
    "entry_no": Column(pl.UInt32, "Place of the entry in its field, from 0."),
    "sentence_no": Column(pl.UInt32, "Place of the sentence in its entry, from 0."),
    "sentence_id": Column(pl.UInt32, "The sentence, numbered among the distinct ones."),
    "text": _text("The text, cleaned, in its own case."),
    "token_id": Column(pl.UInt32, "The token, numbered among the distinct ones."),
    "token": _text("The token."),
    "position": Column(pl.UInt32, "Place of the token in its sentence, from 0."),
    "clause": Column(pl.UInt32, "The clause of the sentence that the token stands in, from 0."),
}
"""All columns by name."""
