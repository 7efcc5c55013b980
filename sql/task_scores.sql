-- task_scores: one row per group, all runs of one model on one task.
-- Reads: run_scores, consistency, claim_checks, tasks, dimensions
--
-- A dimension is the mean over the group's scored runs; consistency is the group's own value, taken
-- over all of its runs.
-- Means sort their input, so that the order of rows cannot change the last bits.
WITH dimension_scores AS (
    SELECT
        model_id,
        task_id,
        dimension,
        favg(score ORDER BY score) AS score,
        count(score) AS n_scored
    FROM run_scores
    WHERE dimension <> 'consistency'
    GROUP BY model_id, task_id, dimension
    UNION ALL
    SELECT
        model_id,
        task_id,
        'consistency' AS dimension,
        consistency AS score,
        CASE WHEN consistency IS NOT NULL THEN n_runs ELSE 0 END AS n_scored
    FROM consistency
),

rubric_weights AS (
    SELECT
        task_id,
        replace(weight_column, 'weight_', '') AS dimension,
        rubric_weight
    FROM (SELECT task_id, COLUMNS('^weight_') FROM tasks)
    UNPIVOT (rubric_weight FOR weight_column IN (COLUMNS('^weight_')))
),

composites AS (
    SELECT
        model_id,
        task_id,
        fsum(weight * score ORDER BY ordinal) / sum(weight) FILTER (WHERE score IS NOT NULL) AS composite,
        coalesce(sum(weight) FILTER (WHERE score IS NOT NULL), 0) AS percent_scored,
        fsum(rubric_weight * score ORDER BY ordinal)
        / nullif(fsum(rubric_weight ORDER BY ordinal) FILTER (WHERE score IS NOT NULL), 0)
            AS rubric_composite
    FROM dimension_scores
    JOIN dimensions USING (dimension)
    JOIN rubric_weights USING (task_id, dimension)
    GROUP BY model_id, task_id
),

dimension_columns AS (
    SELECT
        model_id,
        task_id,
        any_value(score) FILTER (WHERE dimension = 'grounding_accuracy') AS grounding_accuracy,
        any_value(score) FILTER (WHERE dimension = 'insight_quality') AS insight_quality,
        any_value(score) FILTER (WHERE dimension = 'evidence_linkage') AS evidence_linkage,
        any_value(score) FILTER (WHERE dimension = 'calibration_limitation_handling')
            AS calibration_limitation_handling,
        any_value(score) FILTER (WHERE dimension = 'consistency') AS consistency,
        any_value(score) FILTER (WHERE dimension = 'structure_usability') AS structure_usability,
        any_value(n_scored) FILTER (WHERE dimension = 'grounding_accuracy') AS n_scored_grounding_accuracy,
        any_value(n_scored) FILTER (WHERE dimension = 'insight_quality') AS n_scored_insight_quality,
        any_value(n_scored) FILTER (WHERE dimension = 'evidence_linkage') AS n_scored_evidence_linkage,
        any_value(n_scored) FILTER (WHERE dimension = 'calibration_limitation_handling')
            AS n_scored_calibration_limitation_handling,
        any_value(n_scored) FILTER (WHERE dimension = 'consistency') AS n_scored_consistency,
        any_value(n_scored) FILTER (WHERE dimension = 'structure_usability') AS n_scored_structure_usability
    FROM dimension_scores
    GROUP BY model_id, task_id
),

claim_counts AS (
    SELECT
        model_id,
        task_id,
        count(*) AS n_claims,
        count(*) FILTER (
            WHERE status IN ('contained', 'overlap', 'judge') OR reason = 'empty_response'
        ) AS n_claims_settled
    FROM claim_checks
    GROUP BY model_id, task_id
),

run_flags AS (
    SELECT
        model_id,
        task_id,
        flatten(list(flags)) AS flags
    FROM run_scores
    GROUP BY model_id, task_id
)

SELECT
    model_id,
    task_id,
    tasks.track,
    tasks.pack_id,
    consistency.n_runs,
    dimension_columns.grounding_accuracy,
    dimension_columns.insight_quality,
    dimension_columns.evidence_linkage,
    dimension_columns.calibration_limitation_handling,
    dimension_columns.consistency,
    dimension_columns.structure_usability,
    composites.composite,
    CAST(composites.percent_scored AS DOUBLE) / 100 AS weight_scored,
    CASE WHEN composites.rubric_composite > 1 THEN 1 ELSE composites.rubric_composite END AS rubric_composite,
    CAST(claim_counts.n_claims_settled AS DOUBLE) / claim_counts.n_claims AS claims_judged,
    coalesce(claim_counts.n_claims_settled, 0) AS n_claims_settled,
    coalesce(claim_counts.n_claims, 0) AS n_claims,
    dimension_columns.n_scored_grounding_accuracy,
    dimension_columns.n_scored_insight_quality,
    dimension_columns.n_scored_evidence_linkage,
    dimension_columns.n_scored_calibration_limitation_handling,
    dimension_columns.n_scored_consistency,
    dimension_columns.n_scored_structure_usability,
    list_sort(list_distinct(list_concat(
        run_flags.flags,
        [
            CASE WHEN consistency.n_runs < 2 THEN 'single_run' END,
            CASE WHEN composites.percent_scored < 100 THEN 'partial' END,
            CASE WHEN claim_counts.n_claims_settled < claim_counts.n_claims THEN 'unjudged_claims' END
        ]
    ))) AS flags
FROM consistency
JOIN tasks USING (task_id)
JOIN composites USING (model_id, task_id)
JOIN dimension_columns USING (model_id, task_id)
JOIN run_flags USING (model_id, task_id)
LEFT JOIN claim_counts USING (model_id, task_id)
ORDER BY model_id, task_id
