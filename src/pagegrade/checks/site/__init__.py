"""Checks of a whole site: what only several pages together show."""
