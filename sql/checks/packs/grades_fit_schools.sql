-- grades_fit_schools: one row per student in a grade that the school does not teach
-- Reads: students, schools
SELECT
    students.student_id,
    students.school_id,
    students.grade
FROM students
LEFT JOIN schools ON schools.school_id = students.school_id
WHERE
    schools.school_id IS NULL
    OR students.grade NOT BETWEEN schools.grade_low AND schools.grade_high
ORDER BY students.student_id
