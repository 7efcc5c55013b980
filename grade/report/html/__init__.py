"""Reports as one HTML file each: they open offline and hold no text that was not escaped."""
