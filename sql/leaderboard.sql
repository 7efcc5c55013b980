-- leaderboard: one row per model, ranked among the models that it compares with.
-- Reads: overall_scores, task_scores, dimensions, intervals
--
-- A section holds models with the same scored dimensions, the same tasks answered and the same
-- share of claims judged; full task coverage first, then more weight scored, then more claims
-- judged. Rank is 1 + the number of models of the section whose interval lies wholly above; a
-- composite without an interval stands for itself.
WITH dimension_names AS (
    SELECT
        model_id,
        string_agg(title, ', ' ORDER BY ordinal) FILTER (WHERE score IS NOT NULL) AS scored,
        string_agg(title, ', ' ORDER BY ordinal) FILTER (WHERE score IS NULL) AS unscored
    FROM (
        SELECT
            model_id,
            grounding_accuracy,
            insight_quality,
            evidence_linkage,
            calibration_limitation_handling,
            consistency,
            structure_usability
        FROM overall_scores
    )
    UNPIVOT INCLUDE NULLS (score FOR dimension IN (COLUMNS(* EXCLUDE (model_id))))
    JOIN dimensions USING (dimension)
    GROUP BY model_id
),

task_sets AS (
    SELECT
        model_id,
        list(task_id ORDER BY task_id) AS answered
    FROM task_scores
    GROUP BY model_id
),

composite_intervals AS (
    SELECT
        model_id,
        low,
        high
    FROM intervals
    WHERE level = 'overall' AND measure = 'composite'
),

comparable AS (
    SELECT
        overall_scores.*,
        composite_intervals.low,
        composite_intervals.high,
        dimension_names.unscored,
        dense_rank() OVER (
            ORDER BY
                overall_scores.task_coverage DESC,
                overall_scores.weight_scored DESC,
                overall_scores.claims_judged DESC NULLS LAST,
                dimension_names.scored NULLS LAST,
                task_sets.answered
        ) AS section
    FROM overall_scores
    JOIN dimension_names USING (model_id)
    JOIN task_sets USING (model_id)
    LEFT JOIN composite_intervals USING (model_id)
),

ranks AS (
    SELECT
        own.model_id,
        1 + count(above.model_id) AS rank
    FROM comparable AS own
    LEFT JOIN comparable AS above
        ON above.section = own.section
        AND coalesce(above.low, above.composite) > coalesce(own.high, own.composite)
    WHERE own.composite IS NOT NULL
    GROUP BY own.model_id
)

SELECT
    section,
    concat_ws(
        '; ',
        CASE WHEN task_coverage < 1 THEN
            concat('only ', round(100 * task_coverage, 1), ' % of the tasks answered')
        END,
        CASE WHEN unscored IS NOT NULL THEN concat('not scored: ', unscored) END,
        CASE WHEN claims_judged < 1 THEN
            concat('only ', round(100 * claims_judged, 1), ' % of the claim checks judged')
        END
    ) AS section_note,
    ranks.rank,
    model_id,
    composite,
    low,
    high,
    grounding_accuracy,
    insight_quality,
    evidence_linkage,
    calibration_limitation_handling,
    consistency,
    structure_usability,
    weight_scored,
    task_coverage,
    claims_judged,
    n_tasks,
    n_runs,
    n_claims_settled,
    n_claims,
    n_scored_grounding_accuracy,
    n_scored_insight_quality,
    n_scored_evidence_linkage,
    n_scored_calibration_limitation_handling,
    n_scored_consistency,
    n_scored_structure_usability
FROM comparable
LEFT JOIN ranks USING (model_id)
ORDER BY section, ranks.rank NULLS LAST, composite DESC, model_id
