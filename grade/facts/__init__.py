"""C1, grounding accuracy: is each gold fact stated, in the metrics or in the text?"""
