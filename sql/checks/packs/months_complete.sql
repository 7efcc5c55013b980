-- months_complete: one row per school and month of the term that the monthly or the survey table lacks or repeats
-- Reads: schools, school_months, survey_months, program
WITH months AS (
    SELECT strftime(day, '%Y-%m') AS month
    FROM program, generate_series(program.first_day, program.last_day, INTERVAL 1 DAY) AS days (day)
    GROUP BY strftime(day, '%Y-%m')
),

listed AS (
    SELECT 'school_months' AS source, school_id, month
    FROM school_months
    UNION ALL
    SELECT 'survey_months' AS source, school_id, month
    FROM survey_months
),

sources AS (
    SELECT DISTINCT source
    FROM listed
)

SELECT
    sources.source,
    schools.school_id,
    months.month,
    count(listed.source) AS times
FROM schools
CROSS JOIN months
CROSS JOIN sources
LEFT JOIN listed
    ON listed.source = sources.source
    AND listed.school_id = schools.school_id
    AND listed.month = months.month
GROUP BY sources.source, schools.school_id, months.month
HAVING count(listed.source) <> 1
ORDER BY sources.source, schools.school_id, months.month
