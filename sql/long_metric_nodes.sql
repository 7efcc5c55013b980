-- long_metric_nodes: one row per node of a metrics document, in document order
-- Reads: documents
-- The same rows as metric_nodes. Level by level, so that a node carries its own text and never its whole document's:
-- the time grows with the length of a document, not with its square. Short documents are faster the other way.
WITH RECURSIVE nodes AS (
  SELECT
    document_id,
    CAST([] AS BIGINT[]) AS place,
    CAST(NULL AS BIGINT[]) AS parent,
    CAST(NULL AS VARCHAR) AS key,
    CAST(document AS JSON) AS value,
    json_type(document) AS type
  FROM documents
  UNION ALL
  SELECT document_id, list_append(place, number), place, key, value, json_type(value)
  FROM (
    SELECT
      document_id,
      place,
      unnest(CASE type
        WHEN 'OBJECT' THEN json_keys(value)
        ELSE CAST(range(CAST(json_array_length(value) AS BIGINT)) AS VARCHAR[])
      END) AS key,
      unnest(CASE type
        WHEN 'OBJECT' THEN json_extract(value, '$.*')
        ELSE json_extract(value, '$[*]')
      END) AS value,
      unnest(range(CAST(CASE type
        WHEN 'OBJECT' THEN len(json_keys(value))
        ELSE json_array_length(value)
      END AS BIGINT))) AS number
    FROM nodes
    WHERE type IN ('OBJECT', 'ARRAY')
  )
),
numbered AS (
  SELECT document_id, place, parent, key, value, type, row_number() OVER (ORDER BY document_id, place) - 1 AS node_id
  FROM nodes
)
SELECT
  numbered.document_id,
  numbered.node_id,
  parents.node_id AS parent_id,
  numbered.key,
  numbered.type = 'ARRAY' AS is_list,
  numbered.type = 'OBJECT' AS is_object,
  CASE
    WHEN numbered.type IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')
    THEN TRY_CAST(numbered.value AS DOUBLE)
  END AS number,
  CASE WHEN numbered.type = 'VARCHAR' THEN json_extract_string(numbered.value, '$') END AS text
FROM numbered
LEFT JOIN numbered AS parents
  ON parents.document_id = numbered.document_id AND parents.place = numbered.parent
ORDER BY document_id, node_id
