-- track_scores: one row per model and track.
-- Reads: rolled
--
-- `rolled` is the result of roll_up.sql, which works all levels out in one pass.
SELECT
    model_id,
    track,
    n_tasks,
    n_runs,
    task_coverage,
    grounding_accuracy,
    insight_quality,
    evidence_linkage,
    calibration_limitation_handling,
    consistency,
    structure_usability,
    composite,
    weight_scored,
    claims_judged,
    n_claims_settled,
    n_claims,
    n_scored_grounding_accuracy,
    n_scored_insight_quality,
    n_scored_evidence_linkage,
    n_scored_calibration_limitation_handling,
    n_scored_consistency,
    n_scored_structure_usability
FROM rolled
WHERE level = 'track'
ORDER BY model_id, track
