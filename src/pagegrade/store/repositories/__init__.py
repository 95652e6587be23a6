"""Reads and writes of each kind of row."""
