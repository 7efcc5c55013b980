-- overall_is_mean_of_tasks: one row per model whose composite is not the mean of its tasks'.
-- Reads: overall_scores, task_scores
WITH task_means AS (
    SELECT
        model_id,
        count(*) AS n_tasks,
        favg(composite ORDER BY composite) AS task_mean
    FROM task_scores
    GROUP BY model_id
)

SELECT
    model_id,
    overall_scores.composite,
    task_means.task_mean
FROM overall_scores
FULL JOIN task_means USING (model_id)
WHERE
    overall_scores.n_tasks IS DISTINCT FROM task_means.n_tasks
    OR overall_scores.composite IS DISTINCT FROM task_means.task_mean
ORDER BY model_id
