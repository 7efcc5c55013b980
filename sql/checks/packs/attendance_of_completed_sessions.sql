-- attendance_of_completed_sessions: one row per session that has attendance records without being completed, or the reverse
-- Reads: attendance, sessions
WITH recorded AS (
    SELECT session_id, count(*) AS records
    FROM attendance
    GROUP BY session_id
)

SELECT
    sessions.session_id,
    sessions.status,
    coalesce(recorded.records, 0) AS records
FROM sessions
LEFT JOIN recorded ON recorded.session_id = sessions.session_id
WHERE (sessions.status = 'completed') <> (recorded.records IS NOT NULL)
ORDER BY sessions.session_id
