"""Read a model's answer as it was written into the fields that are scored."""
