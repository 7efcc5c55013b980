"""Commands, by topic: each reads its options and calls one function."""
