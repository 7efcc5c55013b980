-- survey_counts: one row per school and month with more answers than students asked, or a sum out of range
-- Reads: survey_months
SELECT school_id, month, asked, answers, score_sum
FROM survey_months
WHERE
    answers NOT BETWEEN 0 AND asked
    OR score_sum NOT BETWEEN answers AND 5 * answers
ORDER BY school_id, month
