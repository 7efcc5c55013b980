-- subgroup_months_agree: one row per subgroup whose months do not add up to the quarter, or differ from it in status
-- Reads: subgroup_attendance, subgroup_months
WITH monthly AS (
    SELECT
        dimension,
        subgroup,
        sum(records) AS records,
        sum(attended) AS attended,
        min(status) AS first_status,
        max(status) AS last_status
    FROM subgroup_months
    GROUP BY dimension, subgroup
)

SELECT
    subgroup_attendance.dimension,
    subgroup_attendance.subgroup,
    subgroup_attendance.records,
    monthly.records AS monthly_records
FROM subgroup_attendance
LEFT JOIN monthly
    ON monthly.dimension = subgroup_attendance.dimension
    AND monthly.subgroup = subgroup_attendance.subgroup
WHERE
    monthly.records IS DISTINCT FROM subgroup_attendance.records
    OR monthly.attended IS DISTINCT FROM subgroup_attendance.attended
    OR monthly.first_status IS DISTINCT FROM subgroup_attendance.status
    OR monthly.last_status IS DISTINCT FROM subgroup_attendance.status
ORDER BY subgroup_attendance.dimension, subgroup_attendance.subgroup
