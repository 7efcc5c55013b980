-- references_complete: one row per reference that is repeated, lacks a finding or a caution, or has an odd effect or floor
-- Reads: research
SELECT
    reference_id,
    count(*) AS copies,
    any_value(effect_sd) AS effect_sd,
    any_value(attendance_floor) AS attendance_floor
FROM research
GROUP BY reference_id
HAVING
    count(*) > 1
    OR count(finding) < 1
    OR count(caution) < 1
    OR coalesce(any_value(effect_sd) NOT BETWEEN -1 AND 2, true)
    OR any_value(attendance_floor) NOT BETWEEN 0 AND 1
ORDER BY reference_id
