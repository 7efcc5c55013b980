-- run_scores_within_bounds: one row per run score that is no number from 0 to 1.
-- Reads: run_scores
SELECT
    model_id,
    task_id,
    run_index,
    dimension,
    score
FROM run_scores
WHERE isnan(score) OR score < 0 OR score > 1
ORDER BY model_id, task_id, run_index, dimension
