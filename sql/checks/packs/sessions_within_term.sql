-- sessions_within_term: one row per session held outside the term or on a weekday when its group does not meet
-- Reads: sessions, groups, program
SELECT
    sessions.session_id,
    sessions.session_date,
    groups.weekdays
FROM sessions
JOIN groups ON groups.group_id = sessions.group_id
CROSS JOIN program
WHERE
    sessions.session_date NOT BETWEEN program.first_day AND program.last_day
    OR NOT contains(groups.weekdays, strftime(sessions.session_date, '%a'))
ORDER BY sessions.session_id
