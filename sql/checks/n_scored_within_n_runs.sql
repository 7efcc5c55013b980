-- n_scored_within_n_runs: one row per group with more scores than runs, or a mean over none.
-- Reads: task_scores
SELECT
    model_id,
    task_id,
    n_runs,
    n_scored_grounding_accuracy,
    n_scored_insight_quality,
    n_scored_evidence_linkage,
    n_scored_calibration_limitation_handling,
    n_scored_consistency,
    n_scored_structure_usability
FROM task_scores
WHERE
    greatest(
        n_scored_grounding_accuracy,
        n_scored_insight_quality,
        n_scored_evidence_linkage,
        n_scored_calibration_limitation_handling,
        n_scored_structure_usability
    ) > n_runs
    OR (n_scored_grounding_accuracy = 0) <> (grounding_accuracy IS NULL)
    OR (n_scored_insight_quality = 0) <> (insight_quality IS NULL)
    OR (n_scored_evidence_linkage = 0) <> (evidence_linkage IS NULL)
    OR (n_scored_calibration_limitation_handling = 0) <> (calibration_limitation_handling IS NULL)
    OR (n_scored_consistency = 0) <> (consistency IS NULL)
    OR (n_scored_structure_usability = 0) <> (structure_usability IS NULL)
ORDER BY model_id, task_id
