"""Compose the stages of `grade` into commands: files, clock, progress and command line live here."""
