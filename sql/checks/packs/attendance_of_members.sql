-- attendance_of_members: one row per attendance record that is repeated, belongs to no session or student, or to no member of the group
-- Reads: attendance, sessions, students
SELECT
    attendance.session_id,
    attendance.student_id,
    count(*) AS copies,
    any_value(sessions.group_id) AS session_group,
    any_value(students.group_id) AS student_group
FROM attendance
LEFT JOIN sessions ON sessions.session_id = attendance.session_id
LEFT JOIN students ON students.student_id = attendance.student_id
GROUP BY attendance.session_id, attendance.student_id
HAVING count(*) > 1 OR any_value(sessions.group_id) IS DISTINCT FROM any_value(students.group_id)
ORDER BY attendance.session_id, attendance.student_id
