-- empty_runs_earn_nothing: one row per score above 0 of a run that says nothing.
-- Reads: run_scores
WITH empty_runs AS (
    SELECT DISTINCT
        model_id,
        task_id,
        run_index
    FROM run_scores
    WHERE list_contains(flags, 'empty_response')
)

SELECT
    model_id,
    task_id,
    run_index,
    run_scores.dimension,
    run_scores.score
FROM run_scores
JOIN empty_runs USING (model_id, task_id, run_index)
WHERE run_scores.dimension <> 'consistency' AND run_scores.score > 0
ORDER BY model_id, task_id, run_index, run_scores.dimension
