"""Every column of every table, once: its type, what it says, its unit and its bounds.

`grade.schemas` builds the tables from these; the table reference in `docs/` and the notes in
the Parquet files are generated from them. A column has one meaning wherever it stands.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.column import Column, count, difference, score, text
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
SEVERITIES: Final = ("critical", "high", "medium", "low", "info")
"""Severities of findings, from worst to mildest; the first two block."""

STATUSES: Final = ("fail", "human_review", "conditional", "pass")
"""What a decision may say, from worst to best."""

FIELDS: Final = ("key_findings", "limitations", "raw_response_text", "evidence_citations")
"""The text fields of an answer, by field_no."""

COLUMNS: Final[dict[str, Column]] = {
    # keys
    "model_id": text("The model that answered."),
    "task_id": text("The task that was answered."),
    "run_index": Column(pl.Int64, "Which of the model's answers to the task this is, from 0."),
    "pack_id": text("The pack that the task belongs to."),
    "track": Column(pl.Int64, "The track that the task belongs to.", bounds=(1, 5)),
    "fact_id": text("The gold fact, by its name within the task."),
    "claim_id": text("The claim: insight:N, limitation:N or forbidden:N, N counting from 0 in the task."),
    "dimension": text("The scored dimension.", *DIMENSIONS),
    # the answer
    "key_findings": Column(TEXTS, "The answer's findings, in its own order."),
    "limitations": Column(TEXTS, "The caveats that the answer states."),
    "structured_metrics": text("The answer's metrics, as JSON text."),
    "evidence_citations": Column(CITATIONS, "The sources that the answer names."),
    "raw_response_text": text("The whole answer as the model wrote it."),
    "adapter_version": text("Version of the program that collected the answer."),
    "timestamp_utc": text("When the answer was made, RFC 3339."),
    "latency_ms": Column(pl.Float64, "How long the model took to answer.", unit="ms"),
    "prompt_tokens": count("Tokens of the prompt."),
    "completion_tokens": count("Tokens of the answer."),
    "cost_usd": Column(pl.Float64, "What the answer cost; 0 is free, null is unknown.", unit="USD"),
    "model_temperature": Column(pl.Float64, "Sampling temperature."),
    "provider": text("Who served the model."),
    "finish_reason": text("Why the model stopped; 'length' means cut off."),
    "content_hash": text("Hash of the answer's content, to tell equal copies."),
    "input_flags": Column(TEXTS, "What reading the record had to mend, for example null_entry_dropped."),
    # refused records
    "file": text("The file that the record stands in."),
    "line": Column(pl.Int64, "Line of the record, from 1; null for Parquet.", bounds=(1, 2**62)),
    "byte_offset": Column(pl.Int64, "Where the record begins in the uncompressed file.", unit="bytes"),
    "reason": text("Why, as a fixed code."),
    "detail": text("The reason in words."),
    "raw": text("The first 2,000 bytes of the record."),
    # checks
    "score": score("1 when the check is passed, else 0; for a dimension its score, null when not measured."),
    "matched": Column(pl.Boolean, "The answer states the fact correctly."),
    "gold_value": Column(pl.Float64, "The right value; null for a fact without a number."),
    "tolerance": Column(pl.Float64, "How far a value may lie from gold, absolute."),
    "predicted_value": Column(pl.Float64, "The answer's value that matched, on gold's scale."),
    "source": text("Where the decision comes from: a field of the answer, rule or judge."),
    "evidence": text("The sentence or metric key that decided."),
    "method": text(
        "How the fact was recognised.",
        "as_stated",
        "divided_by_100",
        "times_100",
        "string_value",
        "quantities",
        "words",
        "judge",
    ),
    "kind": text("What the claim is to the task.", "insight", "limitation", "forbidden"),
    "made": Column(pl.Boolean, "The answer makes the claim."),
    "status": text(
        "How the claim was settled; none means that nothing settled it.",
        "contained",
        "overlap",
        "inconclusive",
        "judge",
        "none",
    ),
    "similarity": score("Jaccard similarity of the two token sets."),
    "field": text("The field of the answer that the evidence stands in."),
    "citation": text("The citation as written."),
    "citation_no": count("Position of the citation in the answer, from 0."),
    "source_file": text("The file that the citation names."),
    "source_column": text("The column that the citation names."),
    "file_allowed": Column(pl.Boolean, "The file is one of the task's inputs; null when none is named."),
    "column_exists": Column(pl.Boolean, "The file has that column; null when that cannot be told."),
    "unknown_ids": Column(TEXTS, "Identifiers that do not occur in the pack's data."),
    "grounded": Column(
        pl.Boolean, "Nothing about the citation is wrong; null when nothing could be checked."
    ),
    "flags": Column(TEXTS, "Fixed codes of what a reader should know about the row, sorted."),
    "fingerprint": text("Hash of all that the group's scores depend on: runs, gold, verdicts, method, code."),
    # consistency
    "finding_stability": score("Mean share of runs that hold each unique finding."),
    "ranking_stability": score("Mean agreement of the findings' order over pairs of runs."),
    "metric_variance": score("Mean of 1 / (1 + CV) over metrics present in two runs or more."),
    # the six dimensions
    **{
        key: score(f"{TITLES[key]}: mean of the scores beneath this row; null when not measured.")
        for key in DIMENSIONS
    },
    **{f"n_scored_{key}": count(f"How many scores the mean of {key} is taken over.") for key in DIMENSIONS},
    "n_scored_consistency": count(
        "How many runs (of a group) or tasks (above it) the value of consistency rests on; 0 when it is null."
    ),
    # roll-ups
    "n_runs": count("Runs in the row."),
    "n_tasks": count("Tasks with at least one run in the row."),
    "task_coverage": score("Tasks with at least one run over the tasks in the catalogue."),
    "composite": score("Weighted mean of the dimensions that are measured, with the locked weights."),
    "weight_scored": score("Sum of the weights that the composite is made of; below 1 the row is partial."),
    "rubric_composite": score("The composite with the task's own weights."),
    "claims_judged": score("Settled claim checks over all claim checks; null when there are none."),
    "n_claims_settled": count("Claim checks that a match or a verdict settled."),
    "n_claims": count("All claim checks."),
    # intervals and comparisons
    "measure": text("What the figure is about: the composite or a dimension.", "composite", *DIMENSIONS),
    "level": text("What the row rolls up: all tasks, one track or one pack.", "overall", "track", "pack"),
    "estimate": score("Mean over tasks, the centre of the interval; null when not measured."),
    "low": score("Lower end of the 95 % interval, resampled over tasks; null where there is none."),
    "high": score("Upper end of the 95 % interval, resampled over tasks; null where there is none."),
    "n_measured": count("Tasks that the figure is taken over."),
    "rank_low": count("Best rank within the 95 % range of ranks among models that compare."),
    "rank_high": count("Worst rank within the 95 % range of ranks among models that compare."),
    "n_ranked": count("Models that are ranked together."),
    "no_interval": text(
        "Why there is no interval: no value, one task only, or the same value on every task.",
        "not_measured",
        "one_task",
        "all_equal",
    ),
    "other_model_id": text("The model that this one is compared with."),
    "difference": difference("Mean difference over shared tasks, this model minus the other."),
    "difference_low": difference("Lower end of the difference's 95 % interval; null where there is none."),
    "difference_high": difference("Upper end of the difference's 95 % interval; null where there is none."),
    "p_value": score("Paired permutation test: how often chance alone differs as much."),
    "p_holm": score("The p value after Holm's correction for all pairs compared on this measure."),
    "smallest_difference": Column(
        pl.Float64,
        "The smallest true difference that this many tasks show four times in five.",
        unit="score",
        bounds=(0, float("inf")),
    ),
    "is_comparable": Column(
        pl.Boolean, "Both models were measured alike: same tasks, dimensions and share of claims judged."
    ),
    # two results compared
    "scope": text("What the row is about.", "model", "pack", "task", "track"),
    "measured_value": score("The score in that result; null when not measured there."),
    "change": difference("The new score minus the old one; null when one of them was not measured."),
    "mean_change": difference("Mean change of the groups' composites, over groups with both."),
    "is_beyond_noise": Column(
        pl.Boolean, "The change is more than noise: the p value after Holm's correction is below 0.05."
    ),
    "section": Column(
        pl.Int64, "Section of the leaderboard, from 1: models within one compare.", bounds=(1, 2**62)
    ),
    "model_rank": Column(
        pl.Int64, "Rank within the section: 1 + models that stand clearly above.", bounds=(1, 2**62)
    ),
    "n_groups": count("Groups that both results have."),
    "n_groups_changed": count("Of these, groups with another score, check or decision."),
    "n_facts_gained": count("Facts that only the new result finds."),
    "n_facts_lost": count("Facts that only the old result finds."),
    "n_claims_better": count("Claim checks that only the new result passes."),
    "n_claims_worse": count("Claim checks that only the old result passes."),
    "n_decisions_changed": count("Groups with another decision."),
    # what is looked for
    "claim_text": text("The statement, as the task file has it."),
    "unit": text("The unit of the value: fraction, percent, points, count or score."),
    # verdicts
    "judge_id": text("Who judged; human:NAME is a person."),
    "int_score": Column(pl.Int64, "The integer score, 1 to 5.", bounds=(1, 5)),
    "numeric_score": score("The verdict as a number."),
    "confidence": score("How sure the judge is."),
    "reasoning": text("The judge's reasons."),
    "findings": Column(FINDINGS, "Findings that came with the verdict."),
    "unit_score": score("The verdict on the unit scale."),
    "category": text("The verdict as a category.", "pass", "partial", "fail"),
    # categories, findings and decisions
    "n_judges": count("Judges whose verdicts count here."),
    "n_unreadable": count("Verdicts that were asked for here and could not be read."),
    "is_disputed": Column(pl.Boolean, "The policy wants the judges to agree, and they do not."),
    "severity": text("How grave the finding is; critical and high block.", *SEVERITIES),
    "code": text("What was found, as a fixed code; null where a judge gave none."),
    "finding_title": text("What was found, in words."),
    "description": text("What the finding is about: the claim in the task's words, or the judge's words."),
    "finding_judge_id": text("The judge who found it; null for a finding by rule."),
    "n_findings": count("Findings of this severity."),
    "n_pass": count("Categories, or verdicts, that pass."),
    "n_partial": count("Categories, or verdicts, that pass in part."),
    "n_fail": count("Categories, or verdicts, that fail."),
    "n_total": count("All categories, those without a score included."),
    "needs_human_review": Column(
        pl.Boolean, "A person should look: the decision says so, or some confidence is low."
    ),
    "decision_status": text("What was decided.", *STATUSES),
    "previous_status": text("The status before the last decision; null at the first one.", *STATUSES),
    "rule": text("The rule that decided."),
    "rationale": text("The decision in a sentence."),
    "policy": text("Name of the policy that decided."),
    "policy_sha256": text("Hash of the policy's content."),
    "category_id": text("The category: a dimension, or what a rubric set calls its own."),
    "category_title": text("How reports name the category."),
    "ordinal": Column(pl.Int64, "Place of the category in every report, from 0.", bounds=(0, 2**62)),
    "category_weight": Column(pl.Float64, "Weight of the category.", bounds=(0, float("inf"))),
    "is_required": Column(pl.Boolean, "The policy wants the category to pass."),
    # judges compared
    "lowest_score": score("The lowest verdict."),
    "highest_score": score("The highest verdict."),
    "opinions": Column(TEXTS, "Each judge's verdict, as `judge: category`, sorted by judge."),
    "target": text("What was judged: a dimension, all_dimensions or claims."),
    "judge_a": text("The first judge of the pair; null for all judges together."),
    "judge_b": text("The second judge of the pair; null for all judges together."),
    "scale": text("The scale compared: category (3 steps) or integer (5 steps).", "category", "integer"),
    "statistic": text("The measure of agreement."),
    "agreement": Column(pl.Float64, "The measure; null where it is not defined."),
    "ci_low": Column(pl.Float64, "Lower end of the 95 % bootstrap interval."),
    "ci_high": Column(pl.Float64, "Upper end of the 95 % bootstrap interval."),
    "n_items": count("Items that two judges or more have judged."),
    # the review queue
    "rank": Column(pl.Int64, "Place in the queue, from 1: the most valuable first.", bounds=(1, 2**62)),
    "review_value": Column(
        pl.Float64, "How much a person's verdict is worth here.", unit="points", bounds=(0, 10_000)
    ),
    "why": text("Why a person should look, as a fixed code."),
    "question": text("What the person is asked."),
    "stands": text("What stands now, and on what ground."),
    # the catalogue
    "title": text("The task's title."),
    "task_type": text("What kind of question the task asks."),
    "user_prompt": text("The question as the model gets it."),
    "allowed_inputs": Column(TEXTS, "The data files that the task may use."),
    **{f"weight_{key}": score(f"The task rubric's own weight of {key}.") for key in DIMENSIONS},
    **{f"guidance_{key}": text(f"The task rubric's guidance for {key}.") for key in DIMENSIONS},
    # judging
    "question_kind": text(
        "What a judge is asked about: a dimension, or a claim of this kind.",
        "dimension",
        "insight",
        "limitation",
        "forbidden",
        "fact",
    ),
    "repeat": count("Which asking of the same question this is, from 0."),
    "question_key": text("Hash of what the judge is shown: template, task, guidance or gold text, answer."),
    "template": text("The prompt template with its version."),
    "template_text": text("The prompt template as it stands in its file."),
    "subject": text("What is asked about: a claim's gold text, or the rubric's guidance."),
    "task_text": text("The task as the judge is shown it: its question and its files' names."),
    "answer_text": text("The answer as the judge is shown it."),
    "answer_is_cut": Column(pl.Boolean, "The answer is too long for a prompt and was cut."),
    "system_prompt": text("The part of the prompt that is the same for all questions of a template."),
    "prompt": text("The question as the judge is asked it."),
    "estimated_tokens": count("About how many tokens the two prompts have: a quarter of their bytes."),
    "verdict_key": text("Hash of the question, the judge's model, its parameters and the repeat."),
    "judge_model": text("The model that was asked to judge."),
    "served_model": text("The model that the endpoint says has answered."),
    "parameters": text("The sampling parameters of the judge, as JSON text."),
    "reply_state": text("Whether the judge's reply could be read.", "read", "repaired", "unscored"),
    "problem": text("Why the first reply could not be read, as a fixed code."),
    "quotes": Column(TEXTS, "What the judge quotes from the answer."),
    "missing_quotes": Column(TEXTS, "The quotes that do not occur in the answer."),
    "raw_replies": Column(TEXTS, "The judge's replies as they came, in order."),
    "n_calls": count("Requests that were answered."),
    "asked_utc": text("When the question was answered, RFC 3339."),
    "judging_cost_usd": Column(pl.Float64, "What judging cost; null is unknown.", unit="USD"),
    "judging_latency_ms": Column(
        pl.Float64, "How long the judge took, without waiting between tries.", unit="ms"
    ),
    "n_questions": count("Questions that were put to the judge."),
    "n_repaired": count("Questions whose first reply could not be read and whose second could."),
    "n_unscored": count("Questions whose reply could not be read."),
    "n_costs": count("Rows whose cost is known."),
    "mean_latency_ms": Column(pl.Float64, "Mean latency.", unit="ms"),
    "p50_latency_ms": Column(pl.Float64, "Median latency.", unit="ms"),
    "max_latency_ms": Column(pl.Float64, "Longest latency.", unit="ms"),
    "n_answered": count("Questions of the result that a stored verdict answers."),
    "n_missing": count(
        "Questions that matching leaves open and the judge has not answered; for all, nobody."
    ),
    "n_stale": count("Stored verdicts on checks of the result whose text or prompt has changed since."),
    "n_orphaned": count("Stored verdicts on runs or checks that the result does not have."),
    "labelled_kind": text(
        "The kind of the labelled checks.", "fact", "insight", "limitation", "forbidden", "all"
    ),
    "n_checks": count("Labelled checks in the row."),
    "n_true_positive": count("Stated according to both."),
    "n_false_positive": count("Stated according to the verdict only."),
    "n_false_negative": count("Stated according to the label only."),
    "n_true_negative": count("Stated according to neither."),
    **{
        name + ending: score(note + words)
        for name, note in (
            ("precision", "Share of checks said to be stated that are; null when none is said to be"),
            ("recall", "Share of stated checks that are said to be; null when none is stated"),
            ("f1", "2 TP / (2 TP + FP + FN); null when all three are 0"),
            ("accuracy", "Share of checks on which verdict and label agree"),
            ("calibration_error", "Mean distance of confidence from accuracy, over bins; null without any"),
        )
        for ending, words in (("", "."), ("_low", "; lower end."), ("_high", "; upper end."))
    },
    "n_confident": count("Checks whose verdict states a confidence."),
    "bin": count("The tenth of the confidence scale, from 0."),
    "bin_low": score("Lower end of the bin."),
    "bin_high": score("Upper end of the bin."),
    "mean_confidence": score("Mean stated confidence in the bin."),
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
    "mode": text("How a fact is looked for.", "value", "string", "quantities", "words"),
    "slack": Column(pl.Float64, "How far a value may lie from gold, absolute.", bounds=(0, float("inf"))),
    "string_value": text("The identifier that a fact wants named."),
    "metric_keys": Column(TEXTS, "Names of the metrics that hold the fact's value."),
    "clue": text("A word, or a part of one, in lower case."),
    "is_whole": Column(pl.Boolean, "No further letter or digit of ASCII stands beside it."),
    "n_needed": count("Clues of the text of which a sentence must hold one, whichever are chosen."),
    "has_cue": Column(pl.Boolean, "The claim itself holds a negation cue."),
    "value": Column(pl.Float64, "A value."),
    "may_divide": Column(pl.Boolean, "A hundredth of the stated value may be meant."),
    "may_multiply": Column(pl.Boolean, "A hundred times the stated value may be meant."),
    "entity_kind": text("month, or an identifier's leading word and a hyphen."),
    "entity": text("The entity: a month's code or an identifier."),
    "leaf_no": Column(pl.UInt32, "Place of the metric in the run, from 0, in document order."),
    "key": text("The metric's key: its path, joined with dots."),
    "metric_text": text("The metric as text; null for a number."),
    "is_percent": Column(pl.Boolean, "A percent sign or word belongs to the value."),
    "is_calibration": Column(pl.Boolean, "The insight is about uncertainty or scope."),
    "field_no": Column(pl.UInt8, "0 key_findings, 1 limitations, 2 raw_response_text."),
    "entry_no": Column(pl.UInt32, "Place of the entry in its field, from 0."),
    "sentence_no": Column(pl.UInt32, "Place of the sentence in its entry, from 0."),
    "sentence_id": Column(pl.UInt32, "The sentence, numbered among the distinct ones."),
    "text": text("The text, cleaned, in its own case."),
    "token_id": Column(pl.UInt32, "The token, numbered among the distinct ones."),
    "token": text("The token."),
    "position": Column(pl.UInt32, "Place of the token in its sentence, from 0."),
    "clause": Column(pl.UInt32, "The clause of the sentence that the token stands in, from 0."),
}
"""All columns by name."""
