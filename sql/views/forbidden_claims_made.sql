-- forbidden_claims_made: one row per run and forbidden claim that the run makes, with the sentence.
-- Reads: claim_checks, gold_claims, tasks
SELECT
    claim_checks.model_id,
    claim_checks.task_id,
    claim_checks.run_index,
    tasks.track,
    tasks.pack_id,
    claim_checks.claim_id,
    gold_claims.claim_text,
    claim_checks.status,
    claim_checks.similarity,
    claim_checks.field,
    claim_checks.evidence
FROM claim_checks
JOIN gold_claims USING (task_id, claim_id)
JOIN tasks USING (task_id)
WHERE claim_checks.kind = 'forbidden' AND claim_checks.made
ORDER BY claim_checks.task_id, claim_checks.claim_id, claim_checks.model_id, claim_checks.run_index
