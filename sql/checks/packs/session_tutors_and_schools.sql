-- session_tutors_and_schools: one row per session whose tutor or school is not that of its group
-- Reads: sessions, groups
SELECT
    sessions.session_id,
    sessions.group_id,
    sessions.tutor_id,
    sessions.school_id
FROM sessions
LEFT JOIN groups ON groups.group_id = sessions.group_id
WHERE
    groups.group_id IS NULL
    OR groups.tutor_id <> sessions.tutor_id
    OR groups.school_id <> sessions.school_id
ORDER BY sessions.session_id
