-- unstable_tasks: one row per model and task with several runs, the least consistent first.
-- Reads: consistency, run_scores, tasks
--
-- Column grounding_lowest: Grounding accuracy of the run that scores lowest on it.
-- Column grounding_highest: Grounding accuracy of the run that scores highest on it.
WITH grounding AS (
    SELECT
        model_id,
        task_id,
        min(score) AS grounding_lowest,
        max(score) AS grounding_highest
    FROM run_scores
    WHERE dimension = 'grounding_accuracy'
    GROUP BY model_id, task_id
)

SELECT
    consistency.model_id,
    consistency.task_id,
    tasks.track,
    tasks.pack_id,
    consistency.n_runs,
    consistency.consistency,
    consistency.finding_stability,
    consistency.ranking_stability,
    consistency.metric_variance,
    grounding.grounding_lowest,
    grounding.grounding_highest
FROM consistency
JOIN tasks USING (task_id)
LEFT JOIN grounding USING (model_id, task_id)
WHERE consistency.consistency IS NOT NULL
ORDER BY consistency.consistency, consistency.model_id, consistency.task_id
