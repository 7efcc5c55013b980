"""`grade import`: files of other programs become run files."""
