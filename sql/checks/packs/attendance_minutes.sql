-- attendance_minutes: one row per attendance record whose minutes contradict its mark or exceed the session
-- Reads: attendance, sessions
SELECT
    attendance.session_id,
    attendance.student_id,
    attendance.attended,
    attendance.minutes_present,
    sessions.minutes_planned
FROM attendance
JOIN sessions ON sessions.session_id = attendance.session_id
WHERE
    (attendance.minutes_present > 0) <> attendance.attended
    OR attendance.minutes_present NOT BETWEEN 0 AND sessions.minutes_planned
ORDER BY attendance.session_id, attendance.student_id
