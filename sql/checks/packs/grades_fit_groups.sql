-- grades_fit_groups: one row per student whose group is of another grade or school, or does not exist
-- Reads: students, groups
SELECT
    students.student_id,
    students.group_id,
    students.grade,
    groups.grade AS group_grade,
    groups.school_id AS group_school
FROM students
LEFT JOIN groups ON groups.group_id = students.group_id
WHERE
    students.group_id IS NOT NULL
    AND (
        groups.group_id IS NULL
        OR groups.grade <> students.grade
        OR groups.school_id <> students.school_id
    )
ORDER BY students.student_id
