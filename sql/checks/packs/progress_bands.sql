-- progress_bands: one row per student whose dosage band does not fit the minutes, who is repeated, or whose school is unknown
-- Reads: progress, schools
SELECT
    progress.student_id,
    progress.minutes_received,
    progress.dosage_band,
    count(*) OVER (PARTITION BY progress.student_id) AS copies
FROM progress
LEFT JOIN schools ON schools.school_id = progress.school_id
QUALIFY
    copies > 1
    OR schools.school_id IS NULL
    OR progress.dosage_band IS DISTINCT FROM CASE
        WHEN progress.minutes_received >= 800 THEN 'high'
        WHEN progress.minutes_received >= 600 THEN 'middle'
        WHEN progress.minutes_received >= 0 THEN 'low'
    END
ORDER BY progress.student_id
