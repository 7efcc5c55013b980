-- name: change_summary: one row per task, track, pack and model, with the changes of its groups added up
-- Reads: group_changes
WITH changes AS (
  SELECT
    *,
    new_composite - old_composite AS change,
    old_composite IS DISTINCT FROM new_composite
    OR n_facts_gained + n_facts_lost + n_claims_better + n_claims_worse + n_decisions_changed > 0 AS is_changed
  FROM group_changes
)
SELECT
  CASE
    WHEN grouping(task_id) = 0 THEN 'task'
    WHEN grouping(track) = 0 THEN 'track'
    WHEN grouping(pack_id) = 0 THEN 'pack'
    ELSE 'model'
  END AS scope,
  task_id,
  track,
  pack_id,
  model_id,
  count(*) AS n_groups,
  count(*) FILTER (WHERE is_changed) AS n_groups_changed,
  favg(change ORDER BY model_id, task_id) AS mean_change,
  CAST(sum(n_facts_gained) AS BIGINT) AS n_facts_gained,
  CAST(sum(n_facts_lost) AS BIGINT) AS n_facts_lost,
  CAST(sum(n_claims_better) AS BIGINT) AS n_claims_better,
  CAST(sum(n_claims_worse) AS BIGINT) AS n_claims_worse,
  CAST(sum(n_decisions_changed) AS BIGINT) AS n_decisions_changed
FROM changes
GROUP BY GROUPING SETS ((task_id), (track), (pack_id), (model_id))
ORDER BY scope, task_id NULLS FIRST, track NULLS FIRST, pack_id NULLS FIRST, model_id NULLS FIRST
