-- checks_are_even: one row per run that was checked for fewer facts or claims than another run of its task.
-- Reads: fact_checks, claim_checks, runs
WITH counts AS (
    SELECT
        model_id,
        task_id,
        run_index,
        coalesce(n_facts, 0) AS n_facts,
        coalesce(n_claims, 0) AS n_claims
    FROM runs
    LEFT JOIN (
        SELECT model_id, task_id, run_index, count(*) AS n_facts
        FROM fact_checks
        GROUP BY model_id, task_id, run_index
    ) USING (model_id, task_id, run_index)
    LEFT JOIN (
        SELECT model_id, task_id, run_index, count(*) AS n_claims
        FROM claim_checks
        GROUP BY model_id, task_id, run_index
    ) USING (model_id, task_id, run_index)
)

SELECT
    model_id,
    task_id,
    run_index,
    n_facts,
    n_claims
FROM counts
QUALIFY
    n_facts <> max(n_facts) OVER (PARTITION BY task_id)
    OR n_claims <> max(n_claims) OVER (PARTITION BY task_id)
ORDER BY model_id, task_id, run_index
