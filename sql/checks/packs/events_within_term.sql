-- events_within_term: one row per event outside the term or at an unknown school
-- Reads: events, program, schools
SELECT
    events.event_id,
    events.school_id,
    events.event_date
FROM events
CROSS JOIN program
LEFT JOIN schools ON schools.school_id = events.school_id
WHERE
    schools.school_id IS NULL
    OR events.event_date NOT BETWEEN program.first_day AND program.last_day
ORDER BY events.event_id
