-- month_counts: one row per school and month whose counts contradict each other
-- Reads: school_months, program
SELECT
    school_months.school_id,
    school_months.month,
    school_months.scheduled,
    school_months.completed,
    school_months.records,
    school_months.attended,
    school_months.minutes_delivered
FROM school_months
CROSS JOIN program
WHERE
    school_months.completed > school_months.scheduled
    OR school_months.attended > school_months.records
    OR school_months.records < school_months.completed
    OR school_months.minutes_delivered > school_months.attended * program.session_minutes
ORDER BY school_months.school_id, school_months.month
