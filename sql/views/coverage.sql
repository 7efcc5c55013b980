-- coverage: one row per model and task of the catalogue, answered or not.
-- Reads: tasks, task_scores, overall_scores
--
-- Column is_answered: The model has at least one run on the task.
-- Column not_measured: The dimensions without a score on the task.
SELECT
    overall_scores.model_id,
    tasks.task_id,
    tasks.track,
    tasks.pack_id,
    task_scores.model_id IS NOT NULL AS is_answered,
    coalesce(task_scores.n_runs, 0) AS n_runs,
    coalesce(task_scores.weight_scored, 0) AS weight_scored,
    list_filter(
        [
            CASE WHEN task_scores.grounding_accuracy IS NULL THEN 'grounding_accuracy' END,
            CASE WHEN task_scores.insight_quality IS NULL THEN 'insight_quality' END,
            CASE WHEN task_scores.evidence_linkage IS NULL THEN 'evidence_linkage' END,
            CASE WHEN task_scores.calibration_limitation_handling IS NULL
                THEN 'calibration_limitation_handling' END,
            CASE WHEN task_scores.consistency IS NULL THEN 'consistency' END,
            CASE WHEN task_scores.structure_usability IS NULL THEN 'structure_usability' END
        ],
        lambda dimension: dimension IS NOT NULL
    ) AS not_measured,
    task_scores.claims_judged,
    coalesce(task_scores.n_claims_settled, 0) AS n_claims_settled,
    coalesce(task_scores.n_claims, 0) AS n_claims
FROM overall_scores
CROSS JOIN tasks
LEFT JOIN task_scores
    ON task_scores.model_id = overall_scores.model_id
    AND task_scores.task_id = tasks.task_id
ORDER BY overall_scores.model_id, tasks.task_id
