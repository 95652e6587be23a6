"""Use cases of runs: analyze a page, evaluate its artifacts, stay polite to its host."""
