-- progress_minutes: one row per school whose tested students received more minutes than the school delivered
-- Reads: progress, school_months
WITH received AS (
    SELECT school_id, sum(minutes_received) AS minutes
    FROM progress
    GROUP BY school_id
),

delivered AS (
    SELECT school_id, sum(minutes_delivered) AS minutes
    FROM school_months
    GROUP BY school_id
)

SELECT
    received.school_id,
    received.minutes AS received,
    delivered.minutes AS delivered
FROM received
LEFT JOIN delivered ON delivered.school_id = received.school_id
WHERE delivered.minutes IS NULL OR received.minutes > delivered.minutes
ORDER BY received.school_id
