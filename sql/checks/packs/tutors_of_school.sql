-- tutors_of_school: one row per group whose tutor works at another school or does not exist
-- Reads: groups, tutors
SELECT
    groups.group_id,
    groups.school_id,
    groups.tutor_id,
    tutors.school_id AS tutor_school
FROM groups
LEFT JOIN tutors ON tutors.tutor_id = groups.tutor_id
WHERE tutors.school_id IS DISTINCT FROM groups.school_id
ORDER BY groups.group_id
