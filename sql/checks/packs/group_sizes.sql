-- group_sizes: one row per group whose size is not the number of its enrolled members
-- Reads: groups, students
WITH members AS (
    SELECT group_id, count(*) AS members
    FROM students
    WHERE status = 'enrolled'
    GROUP BY group_id
)

SELECT
    groups.group_id,
    groups.group_size,
    coalesce(members.members, 0) AS members
FROM groups
LEFT JOIN members ON members.group_id = groups.group_id
WHERE groups.group_size <> coalesce(members.members, 0)
ORDER BY groups.group_id
