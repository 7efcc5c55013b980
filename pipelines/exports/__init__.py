"""Formats that a result is exported to: one module each, loaded when it is asked for."""
