-- roll_up: one row per model and track, per model and pack, and per model, told apart by level.
-- Reads: task_scores, tasks, dimensions
--
-- Every score is the arithmetic mean of task-level scores over the tasks where it is measured.
WITH dimension_means AS (
    SELECT
        CASE grouping(track, pack_id) WHEN 1 THEN 'track' WHEN 2 THEN 'pack' ELSE 'overall' END AS level,
        model_id,
        track,
        pack_id,
        dimension,
        favg(score ORDER BY score) AS score,
        count(score) AS n_scored
    FROM (
        SELECT
            model_id,
            task_id,
            track,
            pack_id,
            grounding_accuracy,
            insight_quality,
            evidence_linkage,
            calibration_limitation_handling,
            consistency,
            structure_usability
        FROM task_scores
    )
    UNPIVOT INCLUDE NULLS (score FOR dimension IN (COLUMNS(* EXCLUDE (model_id, task_id, track, pack_id))))
    GROUP BY GROUPING SETS (
        (model_id, dimension, track), (model_id, dimension, pack_id), (model_id, dimension)
    )
),

dimension_columns AS (
    SELECT
        level,
        model_id,
        track,
        pack_id,
        CAST(coalesce(sum(weight) FILTER (WHERE score IS NOT NULL), 0) AS DOUBLE) / 100 AS weight_scored,
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
    FROM dimension_means
    JOIN dimensions USING (dimension)
    GROUP BY level, model_id, track, pack_id
),

row_totals AS (
    SELECT
        CASE grouping(track, pack_id) WHEN 1 THEN 'track' WHEN 2 THEN 'pack' ELSE 'overall' END AS level,
        model_id,
        track,
        pack_id,
        count(*) AS n_tasks,
        CAST(sum(n_runs) AS BIGINT) AS n_runs,
        favg(composite ORDER BY composite) AS composite,
        CAST(sum(n_claims_settled) AS BIGINT) AS n_claims_settled,
        CAST(sum(n_claims) AS BIGINT) AS n_claims
    FROM task_scores
    GROUP BY GROUPING SETS ((model_id, track), (model_id, pack_id), (model_id))
),

catalogue_counts AS (
    SELECT
        CASE grouping(track, pack_id) WHEN 1 THEN 'track' WHEN 2 THEN 'pack' ELSE 'overall' END AS level,
        track,
        pack_id,
        count(*) AS n_catalogue
    FROM tasks
    GROUP BY GROUPING SETS ((track), (pack_id), ())
)

SELECT
    row_totals.level,
    row_totals.model_id,
    row_totals.track,
    row_totals.pack_id,
    row_totals.n_tasks,
    row_totals.n_runs,
    CAST(row_totals.n_tasks AS DOUBLE) / catalogue_counts.n_catalogue AS task_coverage,
    dimension_columns.grounding_accuracy,
    dimension_columns.insight_quality,
    dimension_columns.evidence_linkage,
    dimension_columns.calibration_limitation_handling,
    dimension_columns.consistency,
    dimension_columns.structure_usability,
    row_totals.composite,
    dimension_columns.weight_scored,
    CAST(row_totals.n_claims_settled AS DOUBLE) / nullif(row_totals.n_claims, 0) AS claims_judged,
    row_totals.n_claims_settled,
    row_totals.n_claims,
    dimension_columns.n_scored_grounding_accuracy,
    dimension_columns.n_scored_insight_quality,
    dimension_columns.n_scored_evidence_linkage,
    dimension_columns.n_scored_calibration_limitation_handling,
    dimension_columns.n_scored_consistency,
    dimension_columns.n_scored_structure_usability
FROM row_totals
JOIN dimension_columns
    ON row_totals.level = dimension_columns.level
    AND row_totals.model_id = dimension_columns.model_id
    AND row_totals.track IS NOT DISTINCT FROM dimension_columns.track
    AND row_totals.pack_id IS NOT DISTINCT FROM dimension_columns.pack_id
JOIN catalogue_counts
    ON row_totals.level = catalogue_counts.level
    AND row_totals.track IS NOT DISTINCT FROM catalogue_counts.track
    AND row_totals.pack_id IS NOT DISTINCT FROM catalogue_counts.pack_id
ORDER BY row_totals.level, row_totals.model_id, row_totals.track, row_totals.pack_id
