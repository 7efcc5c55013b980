-- suppression_hides_counts: one row per subgroup that is reported below the minimum, or suppressed with a number left
-- Reads: subgroup_attendance, subgroup_months, subgroup_outcomes, school_iep, program
WITH rows AS (
    SELECT 'subgroup_attendance' AS source, subgroup, status, students, coalesce(records, attended, minutes) AS shown
    FROM subgroup_attendance
    UNION ALL
    SELECT 'subgroup_outcomes' AS source, subgroup, status, students, coalesce(fall_score_sum, winter_score_sum) AS shown
    FROM subgroup_outcomes
    UNION ALL
    SELECT 'school_iep' AS source, subgroup, status, students, coalesce(records, attended) AS shown
    FROM school_iep
    UNION ALL
    SELECT 'subgroup_months' AS source, subgroup, status, students, coalesce(records, attended) AS shown
    FROM subgroup_months
)

SELECT
    rows.source,
    rows.subgroup,
    rows.status,
    rows.students
FROM rows
CROSS JOIN program
WHERE
    (rows.status = 'suppressed' AND (rows.students IS NOT NULL OR rows.shown IS NOT NULL))
    OR (rows.status = 'reported' AND coalesce(rows.students < program.minimum_subgroup, true))
    OR rows.status NOT IN ('reported', 'suppressed')
ORDER BY rows.source, rows.subgroup
