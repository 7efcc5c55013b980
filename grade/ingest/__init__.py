"""Bytes in, tables and refused records out."""
