-- notes_of_completed_sessions: one row per session with a notes mark without being completed, or the reverse
-- Reads: sessions
SELECT session_id, status, notes_logged
FROM sessions
WHERE (status = 'completed') <> (notes_logged IS NOT NULL)
ORDER BY session_id
