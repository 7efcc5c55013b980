"""Where slices are scored: one module per engine, loaded when it is asked for."""
