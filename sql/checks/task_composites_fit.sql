-- task_composites_fit: one row per group whose composite does not fit its dimensions.
-- Reads: task_scores, dimensions
WITH scored AS (
    SELECT
        model_id,
        task_id,
        composite,
        weight_scored,
        dimension,
        score
    FROM (
        SELECT
            model_id,
            task_id,
            composite,
            weight_scored,
            grounding_accuracy,
            insight_quality,
            evidence_linkage,
            calibration_limitation_handling,
            consistency,
            structure_usability
        FROM task_scores
    )
    UNPIVOT INCLUDE NULLS (
        score FOR dimension IN (COLUMNS(* EXCLUDE (model_id, task_id, composite, weight_scored)))
    )
)

SELECT
    model_id,
    task_id,
    any_value(composite) AS composite,
    any_value(weight_scored) AS weight_scored,
    min(score) AS lowest,
    max(score) AS highest,
    sum(weight) FILTER (WHERE score IS NOT NULL) AS percent_scored
FROM scored
JOIN dimensions USING (dimension)
GROUP BY model_id, task_id
HAVING
    bool_or(isnan(score) OR score < 0 OR score > 1)
    OR isnan(any_value(composite))
    OR any_value(composite) < min(score) - 1e-12
    OR any_value(composite) > max(score) + 1e-12
    OR (any_value(composite) IS NULL) <> (count(score) = 0)
    OR abs(100 * any_value(weight_scored) - coalesce(sum(weight) FILTER (WHERE score IS NOT NULL), 0)) > 1e-9
ORDER BY model_id, task_id
