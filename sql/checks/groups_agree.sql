-- groups_agree: one row per group that is not in all of runs, consistency and task_scores, or with other counts of runs.
-- Reads: runs, consistency, task_scores
WITH counts AS (
    SELECT model_id, task_id, 'runs' AS table_name, count(*) AS n_runs
    FROM runs
    GROUP BY model_id, task_id
    UNION ALL
    SELECT model_id, task_id, 'consistency' AS table_name, n_runs
    FROM consistency
    UNION ALL
    SELECT model_id, task_id, 'task_scores' AS table_name, n_runs
    FROM task_scores
)

SELECT
    model_id,
    task_id,
    list(table_name ORDER BY table_name) AS table_names,
    list(n_runs ORDER BY table_name) AS n_runs
FROM counts
GROUP BY model_id, task_id
HAVING count(*) <> 3 OR min(n_runs) <> max(n_runs)
ORDER BY model_id, task_id
