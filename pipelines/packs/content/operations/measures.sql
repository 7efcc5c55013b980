-- Measures of this pack: one view for each, and the only place where it is defined.

-- enrolled: one row per student who is on the rolls on the last day of the term.
CREATE VIEW enrolled AS
SELECT * FROM students WHERE status = 'enrolled';

-- attendance_records: one row per attendance record; records exist for completed sessions only.
CREATE VIEW attendance_records AS
SELECT
    attendance.session_id,
    attendance.student_id,
    attendance.attended,
    attendance.minutes_present,
    strftime(sessions.session_date, '%Y-%m') AS month,
    sessions.group_id,
    sessions.tutor_id,
    sessions.school_id,
    students.iep
FROM attendance
JOIN sessions USING (session_id)
JOIN students USING (student_id)
WHERE sessions.status = 'completed';

-- attendance_overall: one row; attended records / records, pooled over all completed sessions.
CREATE VIEW attendance_overall AS
SELECT count(*) AS records, count(*) FILTER (attended) AS attended, count(*) FILTER (attended) / count(*) AS rate
FROM attendance_records;

-- attendance_by_month: one row per month; attended records / records, pooled over completed sessions.
CREATE VIEW attendance_by_month AS
SELECT month, count(*) AS records, count(*) FILTER (attended) AS attended, count(*) FILTER (attended) / count(*) AS rate
FROM attendance_records
GROUP BY month;

-- attendance_by_iep: one row for students with an IEP and one for all others, pooled over completed sessions.
CREATE VIEW attendance_by_iep AS
SELECT
    iep,
    count(*) AS records,
    count(*) FILTER (attended) AS attended,
    count(*) FILTER (attended) / count(*) AS rate,
    count(DISTINCT student_id) AS students
FROM attendance_records
GROUP BY iep;

-- attendance_by_tutor: one row per tutor; attended records / records of the tutor's completed sessions,
-- with rank 1 for the lowest rate.
CREATE VIEW attendance_by_tutor AS
SELECT
    tutor_id,
    count(*) AS records,
    count(*) FILTER (attended) / count(*) AS rate,
    row_number() OVER (ORDER BY count(*) FILTER (attended) / count(*), tutor_id) AS lowest
FROM attendance_records
GROUP BY tutor_id;

-- attendance_by_student: one row per enrolled student with a record; attended records / records.
CREATE VIEW attendance_by_student AS
SELECT
    student_id,
    enrolled.school_id,
    enrolled.iep,
    count(*) AS records,
    count(*) FILTER (attended) / count(*) AS rate,
    count(*) FILTER (attended) / count(*) < 0.7 AS often_absent
FROM attendance_records
JOIN enrolled USING (student_id)
GROUP BY student_id, enrolled.school_id, enrolled.iep;

-- often_absent_by_school: one row per school; enrolled students who attended less than 70% of their
-- records, with rank 1 for the highest share of the students who have records.
CREATE VIEW often_absent_by_school AS
SELECT
    school_id,
    count(*) AS students,
    count(*) FILTER (often_absent) AS often_absent,
    count(*) FILTER (often_absent) / count(*) AS share,
    row_number() OVER (ORDER BY count(*) FILTER (often_absent) / count(*) DESC, school_id) AS highest
FROM attendance_by_student
GROUP BY school_id;

-- sessions_held: one row per scheduled session; a session that was cancelled or a no-show was not held.
CREATE VIEW sessions_held AS
SELECT
    *,
    strftime(session_date, '%Y-%m') AS month,
    dayname(session_date) AS weekday,
    status = 'completed' AS held
FROM sessions;

-- cancellation_overall: one row; sessions not held (cancelled or no-show) / scheduled sessions.
CREATE VIEW cancellation_overall AS
SELECT count(*) AS scheduled, count(*) FILTER (held) AS completed, count(*) FILTER (NOT held) / count(*) AS rate
FROM sessions_held;

-- cancellation_by_month: one row per month; sessions not held / scheduled sessions.
CREATE VIEW cancellation_by_month AS
SELECT
    month,
    count(*) AS scheduled,
    count(*) FILTER (NOT held) AS not_held,
    count(*) FILTER (NOT held) / count(*) AS rate
FROM sessions_held
GROUP BY month;

-- cancellation_by_group: one row per group; sessions not held / scheduled sessions, with rank 1 for the
-- highest rate.
CREATE VIEW cancellation_by_group AS
SELECT
    group_id,
    tutor_id,
    count(*) AS scheduled,
    count(*) FILTER (NOT held) AS not_held,
    count(*) FILTER (NOT held) / count(*) AS rate,
    row_number() OVER (ORDER BY count(*) FILTER (NOT held) / count(*) DESC, group_id) AS highest
FROM sessions_held
GROUP BY group_id, tutor_id;

-- cancellation_by_weekday: one row per weekday; sessions not held / scheduled sessions.
CREATE VIEW cancellation_by_weekday AS
SELECT weekday, count(*) AS scheduled, count(*) FILTER (NOT held) / count(*) AS rate
FROM sessions_held
GROUP BY weekday;

-- notes_by_tutor: one row per tutor; completed sessions with notes / completed sessions, with rank 1 for
-- the lowest rate.
CREATE VIEW notes_by_tutor AS
SELECT
    tutor_id,
    count(*) AS completed,
    count(*) FILTER (NOT notes_logged) AS missing,
    count(*) FILTER (notes_logged) / count(*) AS rate,
    row_number() OVER (ORDER BY count(*) FILTER (notes_logged) / count(*), tutor_id) AS lowest
FROM sessions_held
WHERE held
GROUP BY tutor_id;

-- observation_by_tutor: one row per tutor; mean of all scores (1 to 4) over visits and domains.
CREATE VIEW observation_by_tutor AS
SELECT tutor_id, sum(score) / count(*) AS mean_score
FROM observations
GROUP BY tutor_id;

-- observation_by_domain: one row per domain; mean score, share of scores of 1 or 2, and rank 1 for the
-- lowest mean.
CREATE VIEW observation_by_domain AS
SELECT
    domain,
    sum(score) / count(*) AS mean_score,
    count(*) FILTER (score <= 2) / count(*) AS low_share,
    row_number() OVER (ORDER BY sum(score) / count(*), domain) AS lowest
FROM observations
GROUP BY domain;

-- students_by_language: one row per home language; enrolled students, and whether there are at least 10.
CREATE VIEW students_by_language AS
SELECT home_language, count(*) AS students, count(*) >= 10 AS reportable
FROM enrolled
GROUP BY home_language;
