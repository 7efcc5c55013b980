-- group_sizes_positive: one row per group without members or with a repeated identifier
-- Reads: groups
SELECT
    group_id,
    count(*) AS copies,
    min(group_size) AS group_size
FROM groups
GROUP BY group_id
HAVING count(*) > 1 OR min(group_size) < 1
ORDER BY group_id
