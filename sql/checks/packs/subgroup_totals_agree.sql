-- subgroup_totals_agree: one row per table and dimension, reported in full, whose totals differ from those of another such dimension
-- Reads: subgroup_attendance, subgroup_outcomes
WITH rows AS (
    SELECT 'subgroup_attendance' AS source, dimension, status, students, records AS amount
    FROM subgroup_attendance
    UNION ALL
    SELECT 'subgroup_outcomes' AS source, dimension, status, students, fall_score_sum AS amount
    FROM subgroup_outcomes
),

totals AS (
    SELECT source, dimension, sum(students) AS students, sum(amount) AS amount
    FROM rows
    GROUP BY source, dimension
    HAVING bool_and(status = 'reported')
)

SELECT source, dimension, students, amount
FROM totals
QUALIFY
    students <> first_value(students) OVER (PARTITION BY source ORDER BY dimension)
    OR amount <> first_value(amount) OVER (PARTITION BY source ORDER BY dimension)
ORDER BY source, dimension
