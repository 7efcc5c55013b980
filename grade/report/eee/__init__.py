"""A result in the words of every_eval_ever, the shared format for evaluation results."""
