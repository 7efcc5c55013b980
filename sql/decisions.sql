-- decisions: one row per subject, which is a group, a model (task_id null) or a single document.
-- Reads: subjects, judged_categories, finding_counts
-- Parameters: $confidence_threshold, $max_critical, $max_high, $max_medium, $min_int_score, $policy, $policy_sha256
--
-- The first rule that holds decides: first the policy's limits, then the rules of the method.
WITH finding_totals AS (
    SELECT
        model_id,
        task_id,
        sum(n_findings) FILTER (WHERE severity = 'critical') AS n_critical,
        sum(n_findings) FILTER (WHERE severity = 'high') AS n_high,
        sum(n_findings) FILTER (WHERE severity = 'medium') AS n_medium
    FROM finding_counts
    GROUP BY model_id, task_id
),

blocked AS (
    SELECT DISTINCT
        model_id,
        task_id,
        category_id
    FROM finding_counts
    WHERE severity IN ('critical', 'high') AND n_findings > 0
),

categories AS (
    SELECT
        coalesce(judged_categories.model_id, blocked.model_id) AS model_id,
        coalesce(judged_categories.task_id, blocked.task_id) AS task_id,
        coalesce(judged_categories.title, blocked.category_id) AS title,
        coalesce(judged_categories.ordinal, 9223372036854775807) AS ordinal,
        judged_categories.category_id IS NOT NULL AS is_known,
        judged_categories.weight,
        judged_categories.score,
        judged_categories.int_score,
        judged_categories.confidence,
        judged_categories.is_required,
        judged_categories.is_disputed,
        blocked.category_id IS NOT NULL AS is_blocked
    FROM judged_categories
    FULL JOIN blocked
        ON judged_categories.model_id = blocked.model_id
        AND judged_categories.task_id IS NOT DISTINCT FROM blocked.task_id
        AND judged_categories.category_id = blocked.category_id
),

tallies AS (
    SELECT
        model_id,
        task_id,
        count(*) FILTER (WHERE score = 'pass') AS n_pass,
        count(*) FILTER (WHERE score = 'partial') AS n_partial,
        count(*) FILTER (WHERE score = 'fail') AS n_fail,
        count(*) FILTER (WHERE is_known) AS n_total,
        min(confidence) AS confidence,
        CAST(floor(
            fsum(weight * int_score ORDER BY ordinal) FILTER (WHERE int_score IS NOT NULL)
            / nullif(fsum(weight ORDER BY ordinal) FILTER (WHERE int_score IS NOT NULL), 0)
            + 0.5 + 1e-9
        ) AS BIGINT) AS int_score,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE is_required AND score <> 'pass')
            AS required_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE score = 'fail' AND is_blocked)
            AS blocking_fail_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE is_disputed) AS disputed_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE is_known AND score IS NULL)
            AS unscored_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE confidence < $confidence_threshold)
            AS unsure_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE is_blocked) AS blocked_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE score = 'fail') AS fail_titles,
        string_agg(title, ', ' ORDER BY ordinal, title) FILTER (WHERE score = 'partial') AS partial_titles
    FROM categories
    GROUP BY model_id, task_id
),

judged AS (
    SELECT
        subjects.model_id,
        subjects.task_id,
        coalesce(tallies.n_pass, 0) AS n_pass,
        coalesce(tallies.n_partial, 0) AS n_partial,
        coalesce(tallies.n_fail, 0) AS n_fail,
        coalesce(tallies.n_total, 0) AS n_total,
        tallies.int_score,
        tallies.confidence,
        tallies.blocking_fail_titles,
        tallies.disputed_titles,
        tallies.unscored_titles,
        tallies.unsure_titles,
        tallies.blocked_titles,
        tallies.fail_titles,
        tallies.partial_titles,
        list_filter([
            CASE WHEN finding_totals.n_critical > $max_critical THEN {
                'rule': 'max_critical',
                'words': concat(finding_totals.n_critical, ' critical findings, at most ', $max_critical, ' allowed')
            } END,
            CASE WHEN finding_totals.n_high > $max_high THEN {
                'rule': 'max_high',
                'words': concat(finding_totals.n_high, ' high findings, at most ', $max_high, ' allowed')
            } END,
            CASE WHEN finding_totals.n_medium > $max_medium THEN {
                'rule': 'max_medium',
                'words': concat(finding_totals.n_medium, ' medium findings, at most ', $max_medium, ' allowed')
            } END,
            CASE WHEN tallies.int_score < $min_int_score THEN {
                'rule': 'min_int_score',
                'words': concat('integer score ', tallies.int_score, ', at least ', $min_int_score, ' required')
            } END,
            CASE WHEN tallies.required_titles IS NOT NULL THEN {
                'rule': 'required_category',
                'words': concat('required to pass, but does not: ', tallies.required_titles)
            } END
        ], lambda breach: breach IS NOT NULL) AS breaches
    FROM subjects
    LEFT JOIN tallies
        ON subjects.model_id = tallies.model_id AND subjects.task_id IS NOT DISTINCT FROM tallies.task_id
    LEFT JOIN finding_totals
        ON subjects.model_id = finding_totals.model_id
        AND subjects.task_id IS NOT DISTINCT FROM finding_totals.task_id
),

ruled AS (
    SELECT
        *,
        CASE
            WHEN len(breaches) > 0 THEN breaches[1].rule
            WHEN blocking_fail_titles IS NOT NULL THEN 'blocking_fail'
            WHEN disputed_titles IS NOT NULL THEN 'judges_disagree'
            WHEN unscored_titles IS NOT NULL OR n_total = 0 THEN 'unscored'
            WHEN unsure_titles IS NOT NULL THEN 'low_confidence'
            WHEN blocked_titles IS NOT NULL THEN 'blocking_finding'
            WHEN n_fail > 0 THEN 'fail_without_blocking_finding'
            WHEN n_pass = n_total THEN 'all_pass'
            ELSE 'mixed'
        END AS rule
    FROM judged
),

decided AS (
    SELECT
        *,
        CASE
            WHEN len(breaches) > 0 OR rule = 'blocking_fail' THEN 'fail'
            WHEN rule = 'all_pass' THEN 'pass'
            WHEN rule = 'mixed' THEN 'conditional'
            ELSE 'human_review'
        END AS status,
        CASE
            WHEN len(breaches) > 0
                THEN concat(
                    'The policy is not met: ',
                    array_to_string(list_transform(breaches, lambda breach: breach.words), '; '),
                    '.'
                )
            WHEN rule = 'blocking_fail'
                THEN concat('Fails with a blocking finding of its own: ', blocking_fail_titles, '.')
            WHEN rule = 'judges_disagree'
                THEN concat('The policy wants the judges to agree, and they do not: ', disputed_titles, '.')
            WHEN n_total = 0 THEN 'Nothing was scored.'
            WHEN rule = 'unscored' THEN concat('Not scored: ', unscored_titles, '.')
            WHEN rule = 'low_confidence'
                THEN concat(
                    'A confidence of ', round(confidence, 3), ' is below ', $confidence_threshold, ': ', unsure_titles, '.'
                )
            WHEN rule = 'blocking_finding'
                THEN concat('A blocking finding stands where the score does not fail: ', blocked_titles, '.')
            WHEN rule = 'fail_without_blocking_finding'
                THEN concat('Fails without a blocking finding: ', fail_titles, '.')
            WHEN rule = 'all_pass' THEN concat('All ', n_total, ' categories pass.')
            ELSE concat(n_pass, ' of ', n_total, ' categories pass; in part only: ', partial_titles, '.')
        END AS rationale
    FROM ruled
)

SELECT
    model_id,
    task_id,
    n_pass,
    n_partial,
    n_fail,
    n_total,
    int_score,
    confidence,
    status = 'human_review' OR unsure_titles IS NOT NULL AS needs_human_review,
    status,
    rule,
    rationale,
    CAST($policy AS VARCHAR) AS policy,
    CAST($policy_sha256 AS VARCHAR) AS policy_sha256,
    CAST(NULL AS VARCHAR) AS previous_status
FROM decided
ORDER BY model_id, task_id NULLS FIRST
