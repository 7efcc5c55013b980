-- question_keys: one row per run and item of its task, with the hash of everything that the judge is shown
-- Reads: answers, judge_items
--
-- Each part is hashed for itself first, so that no text can pass for two parts. Who answered is
-- no part: equal answers share their questions. Materialised, so that a text is hashed once and
-- not once per question.
WITH
hashed_answers AS MATERIALIZED (
    SELECT
        model_id,
        task_id,
        run_index,
        sha256(answer_text) AS answer_hash
    FROM answers
),
hashed_items AS MATERIALIZED (
    SELECT
        task_id,
        dimension,
        claim_id,
        kind,
        template,
        concat_ws(chr(10), sha256(template_text), sha256(task_text), sha256(subject)) AS item_hashes
    FROM judge_items
)
SELECT
    model_id,
    task_id,
    run_index,
    dimension,
    claim_id,
    kind,
    template,
    left(sha256(concat_ws(chr(10), item_hashes, answer_hash)), 32) AS question_key
FROM hashed_answers
INNER JOIN hashed_items USING (task_id)
ORDER BY model_id, task_id, run_index, dimension NULLS FIRST, claim_id NULLS FIRST
