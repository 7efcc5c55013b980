-- levels_agree: one row per model whose tracks or packs do not add up to its overall row.
-- Reads: track_scores, pack_scores, overall_scores
WITH totals AS (
    SELECT
        model_id,
        'track' AS level,
        sum(n_tasks) AS n_tasks,
        sum(n_runs) AS n_runs,
        sum(n_claims) AS n_claims
    FROM track_scores
    GROUP BY model_id
    UNION ALL
    SELECT
        model_id,
        'pack' AS level,
        sum(n_tasks) AS n_tasks,
        sum(n_runs) AS n_runs,
        sum(n_claims) AS n_claims
    FROM pack_scores
    GROUP BY model_id
)

SELECT
    model_id,
    totals.level,
    totals.n_tasks,
    overall_scores.n_tasks AS n_tasks_overall
FROM overall_scores
FULL JOIN totals USING (model_id)
WHERE
    totals.n_tasks IS DISTINCT FROM overall_scores.n_tasks
    OR totals.n_runs IS DISTINCT FROM overall_scores.n_runs
    OR totals.n_claims IS DISTINCT FROM overall_scores.n_claims
ORDER BY model_id, totals.level
