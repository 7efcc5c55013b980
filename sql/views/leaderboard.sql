-- leaderboard: one row per model, ranked among the models that it compares with.
-- Reads: ranking, usage, intervals
--
-- `ranking` and `usage` are sql/leaderboard.sql and sql/usage.sql over the same folder.
--
-- Column section: Models of one section were measured alike and compare; 1 is the most complete.
-- Column section_note: What was not measured there, in words.
-- Column rank: 1 + the number of models of the section whose interval lies wholly above.
-- Column n_costs: Runs that report a cost; a cost of 0 is reported, too.
-- Column mean_latency_ms: Mean time of an answer, over the runs that report one.
SELECT
    ranking.section,
    ranking.section_note,
    ranking.rank,
    ranking.model_id,
    ranking.composite,
    ranking.low,
    ranking.high,
    intervals.rank_low,
    intervals.rank_high,
    ranking.grounding_accuracy,
    ranking.insight_quality,
    ranking.evidence_linkage,
    ranking.calibration_limitation_handling,
    ranking.consistency,
    ranking.structure_usability,
    ranking.task_coverage,
    ranking.weight_scored,
    ranking.claims_judged,
    ranking.n_tasks,
    ranking.n_runs,
    usage.n_costs,
    usage.cost_usd,
    usage.mean_latency_ms
FROM ranking
LEFT JOIN usage ON usage.model_id = ranking.model_id AND usage.task_id IS NULL
LEFT JOIN intervals
    ON intervals.model_id = ranking.model_id
    AND intervals.level = 'overall'
    AND intervals.measure = 'composite'
ORDER BY ranking.section, ranking.rank NULLS LAST, ranking.composite DESC, ranking.model_id
