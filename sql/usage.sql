-- usage: one row per model, and one per model and task, told apart by task_id (null for the model).
-- Reads: runs
--
-- A cost of 0 is a known cost; n_costs tells how many runs report one. The newest time is chosen
-- by instant and told as the run wrote it.
SELECT
    model_id,
    task_id,
    count(*) AS n_runs,
    max({
        'instant': coalesce(epoch_us(try_cast(timestamp_utc AS TIMESTAMPTZ)), 0),
        'written': timestamp_utc
    }).written AS newest_utc,
    count(cost_usd) AS n_costs,
    fsum(cost_usd ORDER BY cost_usd) AS cost_usd,
    count(coalesce(prompt_tokens, completion_tokens)) AS n_token_counts,
    CAST(coalesce(sum(prompt_tokens), 0) AS BIGINT) AS prompt_tokens,
    CAST(coalesce(sum(completion_tokens), 0) AS BIGINT) AS completion_tokens,
    favg(latency_ms ORDER BY latency_ms) AS mean_latency_ms,
    median(latency_ms) AS p50_latency_ms,
    max(latency_ms) AS max_latency_ms
FROM runs
GROUP BY GROUPING SETS ((model_id), (model_id, task_id))
ORDER BY model_id, task_id NULLS FIRST
