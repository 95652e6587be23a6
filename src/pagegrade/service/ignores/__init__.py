"""Ignore rules: validation, and what an account does with its own."""
