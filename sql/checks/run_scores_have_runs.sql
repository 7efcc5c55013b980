-- run_scores_have_runs: one row per run score without a run.
-- Reads: run_scores, runs
SELECT
    model_id,
    task_id,
    run_index,
    dimension
FROM run_scores
ANTI JOIN runs USING (model_id, task_id, run_index)
ORDER BY model_id, task_id, run_index, dimension
