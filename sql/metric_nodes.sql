-- metric_nodes: one row per node of a metrics document, in document order
-- Reads: documents
-- Node ids grow in document order; `text` is the value of a text node, `number` that of a number.
WITH nodes AS (
  SELECT documents.document_id, tree.id, tree.parent, tree.key, tree.type, tree.atom
  FROM documents, json_tree(documents.document) AS tree
)
SELECT
  document_id,
  id AS node_id,
  parent AS parent_id,
  key,
  type = 'ARRAY' AS is_list,
  type = 'OBJECT' AS is_object,
  CASE WHEN type IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE') THEN TRY_CAST(atom AS DOUBLE) END AS number,
  CASE WHEN type = 'VARCHAR' THEN json_extract_string(atom, '$') END AS text
FROM nodes
ORDER BY document_id, node_id
