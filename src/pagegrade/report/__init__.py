"""A Report as a value: built, read, written, compared; pure."""
