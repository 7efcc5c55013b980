"""What is measured and who judged it, as every_eval_ever describes a metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from grade.dimensions import (
    CALIBRATION,
    CONSISTENCY,
    DIMENSIONS,
    EVIDENCE,
    GROUNDING,
    INSIGHT,
    JUDGED,
    STRUCTURE,
    TITLES,
    WEIGHTS,
)

COMPOSITE: Final = "composite"
MEASURES: Final = (COMPOSITE, *DIMENSIONS)
"""What a model has a score of, in the order in which files list it."""

_DESCRIPTIONS: Final = {
    COMPOSITE: "Mean of the dimensions that were measured, weighted with the locked weights.",
    GROUNDING: "Share of the task's gold facts that the answer states, within each fact's tolerance.",
    INSIGHT: "Share of the task's gold insights that the answer's findings make.",
    EVIDENCE: "How well a reader can trace the answer's claims to the data, by verdict.",
    CALIBRATION: (
        "Mean share of: required caveats stated, forbidden claims not made, and insights on scope made."
    ),
    CONSISTENCY: "How alike the answers of one model to one task are: findings, rankings and metrics.",
    STRUCTURE: "How usable the answer's structure is for its reader, by verdict.",
}
_KINDS: Final = {COMPOSITE: "weighted_mean", EVIDENCE: "judge_score", STRUCTURE: "judge_score"}
_PROMPT: Final = (
    "A result does not record what its judges were asked. Verdicts were read from: {files}. "
    "Where grade asked, it asked with this template:\n\n{template}"
)
_HUMAN: Final = "human:"
_UNKNOWN: Final = {"deployment_type": "unknown", "model_availability": "unknown"}


def metric_config(
    measure: str, judges: Sequence[str], files: Iterable[str], template: str = ""
) -> dict[str, Any]:
    """Describe a measure.

    Args:
        measure: One of `MEASURES`.
        judges: Ids of those whose verdicts went into it.
        files: Names of the files that verdicts were read from.
        template: What grade asks judges of the measure with.
    """
    models = [judge for judge in judges if not judge.startswith(_HUMAN)]
    return {
        "evaluation_description": _DESCRIPTIONS[measure],
        "metric_id": f"grade.{measure}",
        "metric_name": TITLES.get(measure, "Composite"),
        "metric_kind": _KINDS.get(measure, "share" if measure != CONSISTENCY else "agreement"),
        "metric_unit": "proportion",
        "metric_parameters": dict(WEIGHTS) if measure == COMPOSITE else {"weight": WEIGHTS[measure]},
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
        **_scoring(measure, models, files, template),
        **_people(measure, judges, models),
    }


def model_info(model_id: str, provider: str | None = None) -> dict[str, Any]:
    """Describe a model by what is known of it: its id, and who served it."""
    developer, slash, _ = model_id.partition("/")
    return {
        "name": model_id,
        "id": model_id,
        **({"developer": developer} if slash and developer else {}),
        **({"inference_platform": provider} if provider else {}),
        "additional_details": dict(_UNKNOWN),
    }


def _scoring(measure: str, models: Sequence[str], files: Iterable[str], template: str) -> dict[str, Any]:
    """Describe the models that judged a dimension that only verdicts score."""
    if measure not in JUDGED or not models:
        return {}
    prompt = _PROMPT.format(files=", ".join(files) or "no named file", template=template)
    average = {"aggregation_method": "average"} if len(models) > 1 else {}
    judges = [{"model_info": model_info(judge)} for judge in models]
    return {"llm_scoring": {"judges": judges, "input_prompt": prompt, **average}}


def _people(measure: str, judges: Sequence[str], models: Sequence[str]) -> dict[str, Any]:
    people = [judge for judge in judges if judge not in models]
    details = {
        "human_judges": ", ".join(people),
        "claims_settled_by": "" if measure in JUDGED else ", ".join(models),
    }
    told = {name: text for name, text in details.items() if text}
    return {"additional_details": told} if told else {}
