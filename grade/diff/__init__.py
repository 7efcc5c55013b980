"""What changed between two results: flips, scores, ranks, and whether it is more than noise."""
