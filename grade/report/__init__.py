"""Say results for people and for programs that read the public format."""
