-- suppression_cannot_be_undone: one row per family in which a single suppressed row would follow from the total
-- Reads: subgroup_attendance, subgroup_outcomes, school_iep
WITH families AS (
    SELECT 'subgroup_attendance' AS source, dimension AS family, status
    FROM subgroup_attendance
    UNION ALL
    SELECT 'subgroup_outcomes' AS source, dimension AS family, status
    FROM subgroup_outcomes
    UNION ALL
    SELECT 'school_iep, by school' AS source, school_id AS family, status
    FROM school_iep
    UNION ALL
    SELECT 'school_iep, by subgroup' AS source, subgroup AS family, status
    FROM school_iep
)

SELECT source, family, count(*) FILTER (status = 'suppressed') AS suppressed
FROM families
GROUP BY source, family
HAVING count(*) FILTER (status = 'suppressed') = 1
ORDER BY source, family
