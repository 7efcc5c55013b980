-- group_fingerprints: one row per group, with a hash of everything that its scores depend on
-- Reads: runs, task_hashes, verdicts
-- Parameters: $method
WITH run_parts AS (
  SELECT
    model_id,
    task_id,
    count(*) AS n_runs,
    string_agg(run_index || ':' || content_hash, ',' ORDER BY run_index) AS content
  FROM runs
  GROUP BY model_id, task_id
),
-- A verdict's place in a file is not part of what it says.
verdict_hashes AS (
  SELECT
    model_id,
    task_id,
    md5(to_json(struct_pack(
      run_index := run_index,
      dimension := dimension,
      claim_id := claim_id,
      judge_id := judge_id,
      score := score,
      int_score := int_score,
      numeric_score := numeric_score,
      confidence := confidence,
      reasoning := reasoning,
      findings := findings,
      unit_score := unit_score
    ))) AS verdict_hash
  FROM verdicts
),
verdict_parts AS (
  SELECT model_id, task_id, string_agg(verdict_hash, ',' ORDER BY verdict_hash) AS content
  FROM verdict_hashes
  GROUP BY model_id, task_id
)
SELECT
  run_parts.model_id,
  run_parts.task_id,
  run_parts.n_runs,
  md5(concat_ws('|', $method, task_hashes.task_hash, run_parts.content, coalesce(verdict_parts.content, ''))) AS fingerprint
FROM run_parts
INNER JOIN task_hashes USING (task_id)
LEFT JOIN verdict_parts USING (model_id, task_id)
ORDER BY run_parts.model_id, run_parts.task_id
