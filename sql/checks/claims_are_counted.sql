-- claims_are_counted: one row per group whose claim counts are not those of its checks.
-- Reads: task_scores, claim_checks
WITH counts AS (
    SELECT model_id, task_id, count(*) AS n_checks
    FROM claim_checks
    GROUP BY model_id, task_id
)

SELECT
    model_id,
    task_id,
    task_scores.n_claims,
    task_scores.n_claims_settled,
    counts.n_checks
FROM task_scores
LEFT JOIN counts USING (model_id, task_id)
WHERE
    task_scores.n_claims <> coalesce(counts.n_checks, 0)
    OR task_scores.n_claims_settled > task_scores.n_claims
ORDER BY model_id, task_id
