"""The fictional tutoring program: a seeded world whose tables the shipped packs are cut from."""
