"""The analyst's desk: open a result folder, ask questions of it, take it elsewhere."""
