"""Use cases of reports: create, change, list, show, share, compare, delete."""
