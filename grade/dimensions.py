"""The six scored dimensions, their locked weights and the five tracks.

Weights are whole percents, so that sums of weights are exact whatever their order.
"""

from __future__ import annotations

from typing import Final

GROUNDING: Final = "grounding_accuracy"
INSIGHT: Final = "insight_quality"
EVIDENCE: Final = "evidence_linkage"
CALIBRATION: Final = "calibration_limitation_handling"
CONSISTENCY: Final = "consistency"
STRUCTURE: Final = "structure_usability"

WEIGHTS: Final[dict[str, int]] = {
    GROUNDING: 35,
    INSIGHT: 20,
    EVIDENCE: 15,
    CALIBRATION: 15,
    CONSISTENCY: 10,
    STRUCTURE: 5,
}
"""Locked project weight of each dimension, in percent; they sum to 100."""

DIMENSIONS: Final[tuple[str, ...]] = tuple(WEIGHTS)
"""The six dimension keys, in the order in which every table and report lists them."""

JUDGED: Final[tuple[str, ...]] = (EVIDENCE, STRUCTURE)
"""The dimensions that only a verdict can score."""

TITLES: Final[dict[str, str]] = {
    GROUNDING: "Grounding accuracy",
    INSIGHT: "Insight quality",
    EVIDENCE: "Evidence linkage",
    CALIBRATION: "Calibration and limitations",
    CONSISTENCY: "Consistency",
    STRUCTURE: "Structure and usability",
}
"""How reports name a dimension."""

TRACKS: Final[dict[int, str]] = {
    1: "Grounded Retrieval",
    2: "Snapshot & Trends",
    3: "Coaching Recommendations",
    4: "Equity Interpretation",
    5: "Research Synthesis",
}
"""Name of each track, by number."""
