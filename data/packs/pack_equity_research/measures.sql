-- Measures of this pack: one view for each, and the only place where it is defined. Suppressed rows
-- carry no numbers, so no measure can use them.

-- attendance_rates: one row per reported subgroup; attended / records over completed sessions of the quarter.
CREATE VIEW attendance_rates AS
SELECT dimension, subgroup, students, attended / records AS rate
FROM subgroup_attendance
WHERE status = 'reported';

-- iep_gap: one row; attendance rate of peers - rate of students with an IEP, in percentage points.
CREATE VIEW iep_gap AS
SELECT
    max(rate) FILTER (subgroup = 'students with an IEP') AS iep_rate,
    100 * (max(rate) FILTER (subgroup = 'peers') - max(rate) FILTER (subgroup = 'students with an IEP')) AS gap_points
FROM attendance_rates
WHERE dimension = 'iep';

-- iep_gap_months: one row per month; as iep_gap, within the month.
CREATE VIEW iep_gap_months AS
SELECT
    month,
    max(attended / records) FILTER (subgroup = 'students with an IEP') AS iep_rate,
    100 * (
        max(attended / records) FILTER (subgroup = 'peers')
        - max(attended / records) FILTER (subgroup = 'students with an IEP')
    ) AS gap_points
FROM subgroup_months
WHERE dimension = 'iep' AND status = 'reported'
GROUP BY month;

-- school_gaps: one row per school with reported cells; attendance rate of its students with an IEP, and the
-- gap to its other students in percentage points.
CREATE VIEW school_gaps AS
SELECT
    school_id,
    max(attended / records) FILTER (subgroup = 'students with an IEP') AS iep_rate,
    100 * (
        max(attended / records) FILTER (subgroup = 'peers')
        - max(attended / records) FILTER (subgroup = 'students with an IEP')
    ) AS gap_points,
    row_number() OVER (ORDER BY school_id) AS place
FROM school_iep
WHERE status = 'reported'
GROUP BY school_id;

-- outcomes: one row per reported subgroup; students with both tests, mean fall score, and mean gain = (winter
-- sum - fall sum) / students.
CREATE VIEW outcomes AS
SELECT
    dimension,
    subgroup,
    students,
    fall_score_sum / students AS mean_fall_score,
    (winter_score_sum - fall_score_sum) / students AS mean_gain
FROM subgroup_outcomes
WHERE status = 'reported';

-- delivery: one row; planned minutes per week = sessions x length, and minutes present per student with
-- records and calendar week.
CREATE VIEW delivery AS
SELECT
    any_value(sessions_per_week * session_minutes) AS planned_minutes,
    sum(minutes) / sum(students) / any_value(weeks) AS received_minutes,
    sum(students)::INTEGER AS students
FROM subgroup_attendance
CROSS JOIN program
WHERE dimension = 'iep';

-- staffing: one row per tutor role; groups led and their share of all groups.
CREATE VIEW staffing AS
SELECT role, count(*) AS groups, count(*) / sum(count(*)) OVER () AS share
FROM groups
JOIN tutors USING (tutor_id)
GROUP BY role;
