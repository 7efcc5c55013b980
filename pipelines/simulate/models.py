"""The simulated models and their error rates, read from `models.toml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grade.errors import ContractError
from pipelines.packs.authoring import read_toml

ERRORS: Final[dict[str, str]] = {
    "wrong_number": "numeric fact of a full answer that is stated and not swapped",
    "omitted_fact": "numeric fact of a full answer that is not swapped",
    "swapped_entities": "full answer to a task with two facts that differ in their entity",
    "negated_insight": "insight of a full answer",
    "missing_caveat": "required limitation of a full answer",
    "paraphrase": "insight that is not negated, or required limitation that is not missing",
    "forbidden_claim": "forbidden claim of the task, for a full answer",
    "refuted_claim": "full answer that makes no forbidden claim",
    "shuffled_findings": "full answer",
    "fabricated_citation": "full answer",
    "truncated": "full answer",
    "empty_answer": "run",
    "vague_answer": "run that is not empty",
}
"""The errors that can be planted, each with what counts as one opportunity for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedModel:
    """One simulated model.

    Args:
        model_id: Identifier.
        format: Ending of its runs file: jsonl, jsonl.gz or jsonl.zst.
        latency_ms: Typical latency of an answer.
        usd_per_1k_tokens: Price; None when it reports no cost.
        evidence: What judges of evidence_linkage lean towards, 0 to 1; None for no verdicts.
        structure: The same for structure_usability.
        judged_claims: Share of the claims that string matching leaves open and a judge looked at.
        rates: Chance of each error at each opportunity; an error that is not named never happens.
    """

    model_id: str
    format: str
    latency_ms: float
    judged_claims: float
    usd_per_1k_tokens: float | None = None
    evidence: float | None = None
    structure: float | None = None
    rates: dict[str, float] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """Name of its runs file."""
        return f"{self.model_id.replace('/', '-')}.{self.format}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """What is simulated.

    Args:
        runs_per_task: Runs of each model on each task.
        models: The models.
    """

    runs_per_task: int
    models: tuple[SimulatedModel, ...]


def load_simulation(path: Path) -> Simulation:
    """Return the simulation that a TOML file describes.

    Raises:
        ContractError: It names an error that cannot be planted.
    """
    raw = read_toml(path)
    models = tuple(SimulatedModel(**model) for model in raw["models"])
    unknown = {name for model in models for name in model.rates} - ERRORS.keys()
    if unknown:
        raise ContractError(f"{path.name}: no such error: {', '.join(sorted(unknown))}")
    return Simulation(runs_per_task=raw["runs_per_task"], models=models)
