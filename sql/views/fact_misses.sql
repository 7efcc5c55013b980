-- fact_misses: one row per model, task and gold fact that some run misses, the most missed first.
-- Reads: fact_checks, gold_facts, tasks
--
-- Column n_missed: Runs that do not state the fact correctly.
-- Column share_missed: n_missed over n_runs.
SELECT
    fact_checks.model_id,
    fact_checks.task_id,
    tasks.track,
    tasks.pack_id,
    fact_checks.fact_id,
    gold_facts.claim_text,
    gold_facts.gold_value,
    gold_facts.tolerance,
    count(*) FILTER (WHERE NOT fact_checks.matched) AS n_missed,
    count(*) AS n_runs,
    CAST(count(*) FILTER (WHERE NOT fact_checks.matched) AS DOUBLE) / count(*) AS share_missed
FROM fact_checks
JOIN gold_facts USING (task_id, fact_id)
JOIN tasks USING (task_id)
GROUP BY ALL
HAVING count(*) FILTER (WHERE NOT fact_checks.matched) > 0
ORDER BY share_missed DESC, fact_checks.task_id, fact_checks.fact_id, fact_checks.model_id
