-- rolled_scores_within_bounds: one row per rolled-up score that is no number from 0 to 1.
-- Reads: task_scores, track_scores, pack_scores, overall_scores
WITH scores AS (
    SELECT 'task' AS level, model_id, task_id AS part, composite, rubric_composite AS other
    FROM task_scores
    UNION ALL
    SELECT 'track' AS level, model_id, CAST(track AS VARCHAR) AS part, composite, task_coverage AS other
    FROM track_scores
    UNION ALL
    SELECT 'pack' AS level, model_id, pack_id AS part, composite, task_coverage AS other
    FROM pack_scores
    UNION ALL
    SELECT 'overall' AS level, model_id, '' AS part, composite, task_coverage AS other
    FROM overall_scores
)

SELECT
    level,
    model_id,
    part,
    composite,
    other
FROM scores
WHERE isnan(composite) OR composite < 0 OR composite > 1 OR isnan(other) OR other < 0 OR other > 1
ORDER BY level, model_id, part
