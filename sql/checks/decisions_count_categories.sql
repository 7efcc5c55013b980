-- decisions_count_categories: one row per group whose decision does not count the categories that it has.
-- Reads: decisions, category_results
WITH counts AS (
    SELECT
        model_id,
        task_id,
        count(*) FILTER (WHERE score = 'pass') AS n_pass,
        count(*) FILTER (WHERE score = 'partial') AS n_partial,
        count(*) FILTER (WHERE score = 'fail') AS n_fail,
        count(*) AS n_total
    FROM category_results
    GROUP BY model_id, task_id
)

SELECT
    model_id,
    task_id,
    decided.n_pass,
    decided.n_partial,
    decided.n_fail,
    decided.n_total
FROM (SELECT model_id, task_id, n_pass, n_partial, n_fail, n_total FROM decisions WHERE task_id IS NOT NULL) AS decided
FULL JOIN counts USING (model_id, task_id)
WHERE
    decided.n_pass IS DISTINCT FROM counts.n_pass
    OR decided.n_partial IS DISTINCT FROM counts.n_partial
    OR decided.n_fail IS DISTINCT FROM counts.n_fail
    OR decided.n_total IS DISTINCT FROM counts.n_total
ORDER BY model_id, task_id
