-- sessions_complete: one row per group that has two sessions on a day, or none in a month of the term
-- Reads: sessions, groups
WITH months AS (
    SELECT DISTINCT date_trunc('month', session_date) AS month
    FROM sessions
),

monthly AS (
    SELECT
        group_id,
        date_trunc('month', session_date) AS month,
        count(*) AS scheduled,
        count(DISTINCT session_date) AS days
    FROM sessions
    GROUP BY group_id, date_trunc('month', session_date)
)

SELECT
    groups.group_id,
    months.month,
    coalesce(monthly.scheduled, 0) AS scheduled,
    coalesce(monthly.days, 0) AS days
FROM groups
CROSS JOIN months
LEFT JOIN monthly ON monthly.group_id = groups.group_id AND monthly.month = months.month
WHERE monthly.scheduled IS NULL OR monthly.scheduled <> monthly.days
ORDER BY groups.group_id, months.month
