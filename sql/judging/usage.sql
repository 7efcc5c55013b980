-- usage: one row per judge, and one per judge and model judged, told apart by model_id (null for all)
-- Reads: judgements
--
-- A judgement that answers for several runs with equal answers was asked and paid for once: it
-- counts once for its judge, and once for each model that has such a run.
WITH
distinct_judgements AS (
    SELECT DISTINCT
        judge_id,
        NULL AS model_id,
        verdict_key,
        reply_state,
        n_calls,
        prompt_tokens,
        completion_tokens,
        cost_usd,
        latency_ms
    FROM judgements
    UNION ALL
    SELECT DISTINCT
        judge_id,
        model_id,
        verdict_key,
        reply_state,
        n_calls,
        prompt_tokens,
        completion_tokens,
        cost_usd,
        latency_ms
    FROM judgements
)
SELECT
    judge_id,
    model_id,
    count(*) AS n_questions,
    count(*) FILTER (reply_state = 'repaired') AS n_repaired,
    count(*) FILTER (reply_state = 'unscored') AS n_unscored,
    CAST(coalesce(sum(n_calls), 0) AS BIGINT) AS n_calls,
    CAST(coalesce(sum(prompt_tokens), 0) AS BIGINT) AS prompt_tokens,
    CAST(coalesce(sum(completion_tokens), 0) AS BIGINT) AS completion_tokens,
    count(cost_usd) AS n_costs,
    fsum(cost_usd ORDER BY cost_usd) AS cost_usd,
    favg(latency_ms ORDER BY latency_ms) AS mean_latency_ms,
    median(latency_ms) AS p50_latency_ms,
    max(latency_ms) AS max_latency_ms
FROM distinct_judgements
GROUP BY judge_id, model_id
ORDER BY judge_id, model_id NULLS FIRST
