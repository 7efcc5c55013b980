-- attendance_after_enrolment: one row per attendance record dated outside the student's time in the program
-- Reads: attendance, sessions, students
SELECT
    attendance.session_id,
    attendance.student_id,
    sessions.session_date,
    students.enrolled_on,
    students.withdrawn_on
FROM attendance
JOIN sessions ON sessions.session_id = attendance.session_id
JOIN students ON students.student_id = attendance.student_id
WHERE
    sessions.session_date < students.enrolled_on
    OR sessions.session_date >= students.withdrawn_on
ORDER BY attendance.session_id, attendance.student_id
