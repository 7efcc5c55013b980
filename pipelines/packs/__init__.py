"""Benchmark packs: generate the fictional program's data, write the tasks on it, check any pack."""
