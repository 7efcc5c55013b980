-- Measures of this pack: one view for each, and the only place where it is defined.

-- months: one row per month, summed over schools; attendance rate = attended / records, completion rate =
-- completed / scheduled, minutes per visit = minutes delivered / attended.
CREATE VIEW months AS
SELECT
    month,
    sum(records)::INTEGER AS records,
    sum(minutes_delivered)::INTEGER AS minutes_delivered,
    sum(attended) / sum(records) AS attendance_rate,
    sum(completed) / sum(scheduled) AS completion_rate,
    sum(minutes_delivered) / sum(attended) AS minutes_per_visit
FROM school_months
GROUP BY month;

-- reminder_months: one row per month and side; schools where reminders began against all other schools,
-- attendance rate = attended / records, pooled over the schools of a side.
CREATE VIEW reminder_months AS
SELECT
    school_id IN (SELECT school_id FROM events WHERE event_id = 'EVT-001') AS reminded,
    month,
    sum(attended) / sum(records) AS attendance_rate
FROM school_months
GROUP BY reminded, month;

-- coordinator_months: one row per month and side; schools with the new coordinator against all others,
-- completion rate = completed / scheduled, pooled over the schools of a side.
CREATE VIEW coordinator_months AS
SELECT
    school_id IN (SELECT school_id FROM events WHERE event_id = 'EVT-002') AS coordinated,
    month,
    sum(completed) / sum(scheduled) AS completion_rate
FROM school_months
GROUP BY coordinated, month;

-- enjoyment_months: one row per month; mean enjoyment = score sum / answers, pooled over schools.
CREATE VIEW enjoyment_months AS
SELECT month, sum(score_sum) / sum(answers) AS mean_enjoyment
FROM survey_months
GROUP BY month;

-- enjoyment_schools: one row per school; mean enjoyment over all answers, with rank 1 for the lowest.
CREATE VIEW enjoyment_schools AS
SELECT
    school_id,
    sum(score_sum) / sum(answers) AS mean_enjoyment,
    row_number() OVER (ORDER BY sum(score_sum) / sum(answers), school_id) AS lowest
FROM survey_months
GROUP BY school_id;

-- attendance_schools: one row per school; attended / records over the quarter.
CREATE VIEW attendance_schools AS
SELECT school_id, sum(attended) / sum(records) AS attendance_rate
FROM school_months
GROUP BY school_id;

-- bands: one row per dosage band; students, mean fall score and mean gain = winter score - fall score.
CREATE VIEW bands AS
SELECT
    dosage_band,
    count(*) AS students,
    sum(fall_score) / count(*) AS mean_fall_score,
    sum(winter_score - fall_score) / count(*) AS mean_gain
FROM progress
GROUP BY dosage_band;
