-- enrolment_dates: one row per student whose status and dates contradict each other or the term
-- Reads: students, program
SELECT
    students.student_id,
    students.status,
    students.enrolled_on,
    students.withdrawn_on
FROM students
CROSS JOIN program
WHERE
    students.enrolled_on > program.last_day
    OR (students.status = 'withdrawn') <> (students.withdrawn_on IS NOT NULL)
    OR students.withdrawn_on <= students.enrolled_on
    OR students.withdrawn_on > program.last_day
ORDER BY students.student_id
