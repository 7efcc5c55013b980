-- runs_have_six_scores: one row per run without exactly one score row per dimension.
-- Reads: runs, run_scores, dimensions
SELECT
    runs.model_id,
    runs.task_id,
    runs.run_index,
    count(DISTINCT run_scores.dimension) AS n_dimensions,
    count(run_scores.dimension) AS n_rows
FROM runs
LEFT JOIN run_scores USING (model_id, task_id, run_index)
GROUP BY runs.model_id, runs.task_id, runs.run_index
HAVING
    count(DISTINCT run_scores.dimension) <> (SELECT count(*) FROM dimensions)
    OR count(run_scores.dimension) <> (SELECT count(*) FROM dimensions)
ORDER BY runs.model_id, runs.task_id, runs.run_index
