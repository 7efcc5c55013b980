-- grounding_is_mean_of_facts: one row per run whose grounding score is not the mean of its fact checks.
-- Reads: run_scores, fact_checks
WITH fact_means AS (
    SELECT
        model_id,
        task_id,
        run_index,
        favg(score ORDER BY score) AS fact_mean
    FROM fact_checks
    GROUP BY model_id, task_id, run_index
)

SELECT
    model_id,
    task_id,
    run_index,
    run_scores.score,
    fact_means.fact_mean
FROM run_scores
LEFT JOIN fact_means USING (model_id, task_id, run_index)
WHERE
    run_scores.dimension = 'grounding_accuracy'
    AND (
        (run_scores.score IS NULL) <> (fact_means.fact_mean IS NULL)
        OR abs(run_scores.score - fact_means.fact_mean) > 1e-9
    )
ORDER BY model_id, task_id, run_index
