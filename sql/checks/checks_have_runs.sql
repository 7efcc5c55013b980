-- checks_have_runs: one row per fact or claim check without a run.
-- Reads: fact_checks, claim_checks, runs
WITH checks AS (
    SELECT
        model_id,
        task_id,
        run_index,
        fact_id AS check_id
    FROM fact_checks
    UNION ALL
    SELECT
        model_id,
        task_id,
        run_index,
        claim_id AS check_id
    FROM claim_checks
)

SELECT
    model_id,
    task_id,
    run_index,
    check_id
FROM checks
ANTI JOIN runs USING (model_id, task_id, run_index)
ORDER BY model_id, task_id, run_index, check_id
